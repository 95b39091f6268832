const shells = /^(?:\/(?:usr\/)?(?:local\/)?bin\/)?(?:sh|bash|dash|zsh|ksh|ash)$/;
const safeWord = /^[\w@%+=:,./-]+$/;

/**
 * A program and its arguments as the line that Claude Code would have been given: words are quoted where a shell would take them
 * apart, `sh -c TEXT` is TEXT itself, and what comes on stdin is a here-document.
 */
export function commandText(command: readonly string[], stdin?: string): string {
  const line = shellText(command) ?? command.map(quoted).join(" ");
  if (stdin === undefined || stdin === "") return line;
  const end = endMark(stdin);
  return `${line} <<'${end}'\n${stdin}${stdin.endsWith("\n") ? "" : "\n"}${end}`;
}

/** The text that a shell is given with `-c` and nothing behind it; undefined for every other command. */
export function shellText(command: readonly string[]): string | undefined {
  const [program = "", flags = "", text, ...rest] = command;
  return shells.test(program) && /^-[a-z]*c$/.test(flags) && text !== undefined && rest.length === 0 ? text : undefined;
}

function quoted(word: string): string {
  if (safeWord.test(word)) return word;
  if (!word.includes("'")) return `'${word}'`;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
}

/** A mark that is no line of the text. */
function endMark(text: string): string {
  const lines = new Set(text.split("\n"));
  let mark = "EOF";
  for (let count = 1; lines.has(mark); count++) mark = `EOF${count}`;
  return mark;
}
