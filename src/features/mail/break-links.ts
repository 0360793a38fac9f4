// Texts of others in a mail of the bank: a mail program makes no link of them. A shop names itself
// `https://evil.example/login`, and the reader trusts what the bank sends.

/** What a host name has between its labels: also the full stops that IDNA takes (RFC 3490, 3.1). */
const dotInside = /(?<=\S)[.。．｡](?=[\p{L}\p{N}_-])/gu
/** Behind the scheme of a URL, but not in 9:30. */
const colonInside = /(?<!\p{Nd}):(?=\S)|:(?=[^\s\p{Nd}])/gu

/** The text with a space behind each dot and colon that could be of a link: `evil. example`. */
export const breakLinks = (text: string): string =>
  text.replace(dotInside, '$& ').replace(colonInside, '$& ')
