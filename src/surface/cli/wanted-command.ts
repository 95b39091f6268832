/** Options that all commands have, and that have a value. */
const withValue: ReadonlySet<string> = new Set(["--root", "--store"]);

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
    if (withValue.has(word)) at += 1;
    else if (!word.startsWith("-")) words.push(word);
  }
  return words;
}

/** The value of such an option; the last one counts. */
export function valueOf(option: "--store", argv: readonly string[]): string | undefined {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const at = words.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  const word = words[at];
  return word === option ? words[at + 1] : word?.slice(option.length + 1);
}
