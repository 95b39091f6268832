/** The command that a line asks for, found before anything is loaded: the first word that is neither an option nor its value. */
export function wantedCommand(argv: readonly string[]): string | undefined {
  return commandWords(argv)[0];
}

/** All such words, those of commands first; a leading `help` is none of them. */
export function commandWords(argv: readonly string[]): readonly string[] {
  const words = allWords(argv);
  return words[0] === "help" ? words.slice(1) : words;
}

/** What is neither an option nor its value. */
export function allWords(argv: readonly string[]): readonly string[] {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") break;
    if (word === "--root") at += 1;
    else if (!word.startsWith("-")) words.push(word);
  }
  return words;
}
