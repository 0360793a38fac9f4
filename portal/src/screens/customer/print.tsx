// Prints the screen: the style sheet leaves out what is of no use on paper.
import { Button } from '../../parts/basic.tsx'
import { texts } from '../../texts/language.ts'

export const PrintButton = () => <Button onClick={() => print()}>{texts().common.print}</Button>
