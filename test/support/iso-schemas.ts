// The schemas of ISO 20022 of what goes in and out as a file (test/{pain,pacs,camt}/README.md).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { validateXML } from 'xmllint-wasm'

const hashes = {
  'camt.054.001.08': '2b392a1f7e70e70902fd0d803ff85989613bd1cae351663240b0bb9243be2c28',
  'pacs.002.001.10.part': '4aa62bada81f7862038d69257c8e9d84aa4e33351eef2f55f72422c3579a2ac7',
  'pacs.004.001.09.part': '58759030e3a750fd521ff1c0db140b78ad41440d5fe444d5f6905502d55b3ea4',
  'pacs.008.001.08': '9bb360555d1981be8635aa3ed295abfe8b2d221d316193434114ad722107dcde',
  'pain.001.001.03': 'ae2bbba02a6be0119a26f4afcb65ced067453cb1b81d38b26bcc569f19eca93e',
  'pain.001.001.09': 'de038b373e47b0077b1832ddd81f4b2f1eb25d35721f62da1e38b7f5a09fda24',
  'pain.002.001.10': '2f9f8d0e9891fa9f31ccf0576397afe501614384d688ae6e43ba694b3d24b0cf',
} as const
export type SchemaName = keyof typeof hashes

/** The faults of the files. All at once: loading the schema takes longer than reading a file. */
export async function findSchemaFaults(
  name: SchemaName,
  files: readonly string[],
): Promise<string[]> {
  const bytes = await readFile(new URL(`../${name.slice(0, 4)}/${name}.xsd`, import.meta.url))
  assert.equal(createHash('sha256').update(bytes).digest('hex'), hashes[name])
  const { errors } = await validateXML({
    xml: files.map((contents, index) => ({ fileName: `${index}.xml`, contents })),
    schema: [{ fileName: `${name}.xsd`, contents: bytes.toString() }],
  })
  return errors.map(({ message }) => message)
}

export const assertSchema = async (name: SchemaName, files: readonly string[]): Promise<void> =>
  assert.deepEqual((await findSchemaFaults(name, files)).slice(0, 3), [])
