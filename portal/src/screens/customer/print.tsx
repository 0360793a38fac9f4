// Prints the screen: the style sheet leaves out what is of no use on paper.
import { Button } from '../../parts/basic.tsx'
import { texts } from '../../language.ts'

export const PrintButton = () => <Button onClick={() => print()}>{texts().common.print}</Button>
