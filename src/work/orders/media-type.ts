/** What a file is by its first bytes: a name and a header are only claims. Undefined for what models do not read. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const begins = (...magic: readonly number[]) => magic.every((byte, at) => bytes[at] === byte);
  const says = (text: string, at: number) =>
    [...text].every((letter, index) => bytes[at + index] === letter.charCodeAt(0));
  if (begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (begins(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (says("GIF8", 0)) return "image/gif";
  if (says("RIFF", 0) && says("WEBP", 8)) return "image/webp";
  if (says("%PDF-", 0)) return "application/pdf";
  return isPlainText(bytes) ? "text/plain" : undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function isPlainText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    utf8.decode(bytes);
    return true;
  } catch {
    return false; // not UTF-8
  }
}
