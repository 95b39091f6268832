/** Cuts a stream of bytes into lines. A line above the limit is never held in memory: it is reported and reading stops. */
export function lineReader(
  maxBytes: number,
  on: { readonly line: (text: string, bytes: number) => void; readonly tooLong: () => void },
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let stopped = false;
  return (chunk) => {
    let from = 0;
    while (!stopped) {
      const end = chunk.indexOf(10, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      length += part.length;
      if (length > maxBytes) {
        stopped = true;
        parts = [];
        on.tooLong();
        return;
      }
      if (part.length > 0) parts.push(part);
      if (end < 0) return;
      const line = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
      const bytes = length;
      parts = [];
      length = 0;
      from = end + 1;
      if (bytes > 0) on.line(line.toString("utf8"), bytes);
    }
  };
}
