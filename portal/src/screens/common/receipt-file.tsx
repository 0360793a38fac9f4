// Saves the receipt of a payment as a PDF file.
import { texts } from '../../texts/language.ts'
import { FileButton } from './file-button.tsx'

export const ReceiptFile = ({ transferId }: { transferId: string }) => (
  <FileButton
    path={`/transfers/${transferId}/receipt?format=pdf`}
    name={`receipt-${transferId}.pdf`}
    label={texts().entry.pdf}
  />
)
