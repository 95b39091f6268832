/** A text as quotes are compared with it: NFKC, plain quotation marks, no invisible characters, one blank for white space. */
export function foldText(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/[\u00AD\u200B-\u200D\u2060\uFEFF]/g, "")
    .replaceAll(/[\u2018\u2019\u201A\u201B\u2032]/g, "'")
    .replaceAll(/[\u00AB\u00BB\u201C\u201D\u201E\u201F\u2033]/g, '"')
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Lines as one folded text, with the number of the line that each character stands on. */
export interface FoldedText {
  readonly text: string;
  readonly lineAt: readonly number[];
}

/** Lines that do not follow one another in the source are kept apart by a character that no quote contains. */
const gap = "\0";

export function foldLines(lines: ReadonlyMap<number, string>): FoldedText {
  let text = "";
  const lineAt: number[] = [];
  let before: number | undefined;
  for (const number of [...lines.keys()].sort((one, other) => one - other)) {
    const folded = foldText(lines.get(number) ?? "");
    const between = before === undefined || text === "" ? "" : number === before + 1 ? " " : gap;
    before = number;
    if (folded === "" && between !== gap) continue;
    for (const piece of [between, folded]) for (let at = 0; at < piece.length; at++) lineAt.push(number);
    text += between + folded;
  }
  return { text, lineAt };
}
