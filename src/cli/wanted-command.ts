/** The command that a line asks for, found before anything is loaded: the first word that is neither an option nor its value. */
export function wantedCommand(argv: readonly string[]): string | undefined {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") return words[0] === "help" ? words[1] : words[0];
    if (word === "--root") at += 1;
    else if (!word.startsWith("-")) words.push(word);
  }
  return words[0] === "help" ? words[1] : words[0];
}
