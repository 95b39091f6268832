/** One shell word on one line: a newline becomes the variable N, which the reader of the line has set. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`).replaceAll("\n", `'"$N"'`)}'`;
}
