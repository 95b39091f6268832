import { passwordIn } from "./command-line.ts";
import type { Finder } from "./finder.ts";
import type { Span } from "./span.ts";

/** A password among the arguments of a program: its argument, and its position in it. */
export interface PasswordArgument extends Span {
  readonly index: number;
}

type Program = "curl" | "mysql" | "sshpass" | "asking" | "unknown";

/** The program of an option is at most this many arguments before it. */
const mostArguments = 64;
const dash = 0x2d;

const programs: readonly (readonly [Program, RegExp])[] = [
  ["curl", /^(?:.*[/\\])?curl(?:\.exe)?$/],
  ["mysql", /^(?:.*[/\\])?(?:mysql|mariadb)(?:-?(?:dump|admin|import|check)|sh)?(?:\.exe)?$/],
  ["sshpass", /^(?:.*[/\\])?sshpass$/],
  // Their `--password` takes no value: it makes them prompt for one.
  ["asking", /^(?:.*[/\\])?(?:psql|pg_\w+|createdb|dropdb|createuser|dropuser|vacuumdb|reindexdb)(?:\.exe)?$/],
];
const endsCommand = /^(?:[|;&]|&&|\|\|)$/;

/** `--password`, `--db-password`, `-passphrase`: the next argument is a password, whatever the program. */
const namesPassword = /^--?(?!no-)(?:[a-z]+-){0,3}pass(?:word|wd|phrase)$/i;
const namesUser = /^(?:-u|-U|--user|--proxy-user)$/;

/**
 * An option that takes a password in some programs and something else in most. Called for every option of every list,
 * so it uses no pattern.
 */
function isOfSomePrograms(option: string): boolean {
  const letter = option.charCodeAt(1);
  return letter === dash
    ? option === "--user" || option === "--proxy-user"
    : letter === smallU || letter === smallP || letter === largeU;
}

const [smallU, smallP, largeU] = [0x75, 0x70, 0x55];

/**
 * The password in the argument at this index or in the next one. `command` is the program where it is apart from its
 * arguments. The rules are those of a command line; see command-line.ts.
 */
export function passwordOfArgument(
  items: readonly unknown[],
  at: number,
  command?: string,
): PasswordArgument | undefined {
  const option = items[at];
  if (!isOption(option)) return undefined;
  const isNaming = option.includes("ass") && namesPassword.test(option);
  if (!isNaming && !isOfSomePrograms(option)) return undefined;
  const program = programOf(items, at, command);
  if (isNaming && program !== "mysql" && program !== "asking") return passwordAt(items, at + 1, 0);
  if (program === "mysql") return option.startsWith("-p") ? passwordAt(items, at, 2) : undefined;
  if (program === "sshpass" && option.startsWith("-p"))
    return option === "-p" ? passwordAt(items, at + 1, 0) : passwordAt(items, at, 2);
  if (program !== "curl") return undefined;
  if (namesUser.test(option)) return passwordAfterName(items, at + 1, 0);
  return option.startsWith("-u") ? passwordAfterName(items, at, 2) : undefined;
}

/** Whether the full scan must examine this argument: it has a password, or would with the right program. */
export function mayBringPassword(items: readonly unknown[], at: number): boolean {
  const option = items[at] as string;
  if (option.charCodeAt(0) !== dash) return false;
  if (passwordOfArgument(items, at)) return true;
  if (!isOfSomePrograms(option) || programOf(items, at, undefined) !== "unknown") return false;
  return ["curl", "mysql", "sshpass"].some((program) => passwordOfArgument(items, at, program));
}

function isOption(item: unknown): item is string {
  return typeof item === "string" && item.charCodeAt(0) === dash;
}

function programOf(items: readonly unknown[], at: number, command: string | undefined): Program {
  for (let index = at - 1; index >= 0 && index >= at - mostArguments; index--) {
    const item = items[index];
    if (typeof item !== "string" || item.charCodeAt(0) === dash) continue;
    if (endsCommand.test(item)) return "unknown";
    const program = programNamed(item);
    if (program !== "unknown") return program;
  }
  return command === undefined ? "unknown" : programNamed(command);
}

function programNamed(name: string): Program {
  if (name.length > 256) return "unknown";
  return programs.find(([, pattern]) => pattern.test(name))?.[0] ?? "unknown";
}

function passwordAt(items: readonly unknown[], index: number, start: number): PasswordArgument | undefined {
  const item = items[index];
  if (typeof item !== "string" || (start === 0 && isOption(item))) return undefined;
  const span = passwordIn(item, start, item.length);
  return span && { index, ...span };
}

/** `ada:password`: the name is kept. */
function passwordAfterName(items: readonly unknown[], index: number, start: number): PasswordArgument | undefined {
  const item = items[index];
  if (typeof item !== "string") return undefined;
  const colon = item.indexOf(":", start);
  return colon <= start || colon > 256 ? undefined : passwordAt(items, index, colon + 1);
}

/** The keys under which objects name the program of a list of arguments. */
const commandKeys = ["command", "cmd", "program", "executable", "file"] as const;

export function commandOf(record: Readonly<Record<string, unknown>>): string | undefined {
  for (const key of commandKeys) {
    const value = Object.hasOwn(record, key) ? record[key] : undefined;
    if (typeof value === "string") return value;
  }
  return undefined;
}

/** An argument in a list within a text, in JSON of any escaping or in the quotes of a program's source. */
interface WrittenArgument {
  readonly start: number;
  readonly text: string;
}

const longestList = 4_096;
const gap = String.raw`(?:\s|\\+[nrt])*`;
const opening = /\\*["']/y;
const nextArgument = new RegExp(`${gap},${gap}(?=\\\\*["'])`, "y");
/** From a program's name to its first argument: the next in the same list, or the first of the list beside it. */
const firstArgument = new RegExp(
  String.raw`\\*["']${gap},${gap}(?:\\*["'](?:args|arguments|argv)\\*["']${gap}:${gap}\[${gap})?(?=\\*["'])`,
  "y",
);
/** From a list to the program's name after it: JSON with sorted keys has `args` before `command`. */
const behindList = new RegExp(
  String.raw`^\]${gap},${gap}\\*["'](?:${commandKeys.join("|")})\\*["']${gap}:${gap}\\*["'][^"',]*$`,
);
const listStart = new RegExp(String.raw`\[${gap}(?=\\*["'])`, "y");
const longestName = 256;

/**
 * The first argument of the list before the program's name. Searched from the end of the list: a search of all text
 * before it took a second a megabyte for a text of nothing but such names.
 */
function firstBefore(text: string, at: number): number | undefined {
  const near = Math.max(0, at - longestName);
  const close = text.slice(near, at).lastIndexOf("]");
  if (close < 0 || !behindList.test(text.slice(near + close, at))) return undefined;
  const from = Math.max(0, near + close - longestList);
  const before = text.slice(from, near + close);
  const open = before.lastIndexOf("[");
  const start = open < 0 || before.includes("]", open) ? undefined : matchAt(listStart, text, from + open);
  return start === undefined ? undefined : from + open + start.length;
}

/** Ends at another program's name: later arguments belong to that one. */
function writtenList(text: string, from: number, most: number = mostArguments): readonly WrittenArgument[] {
  const list: WrittenArgument[] = [];
  let at = from;
  while (list.length < most && at < from + longestList) {
    const quote = matchAt(opening, text, at);
    if (quote === undefined) break;
    const start = at + quote.length;
    const end = closingOf(text, start, quote);
    if (end < 0) break;
    const argument = text.slice(start, end);
    if (programNamed(argument) !== "unknown") break;
    list.push({ start, text: argument });
    at = end + quote.length;
    const between = matchAt(nextArgument, text, at);
    if (between === undefined) break;
    at += between.length;
  }
  return list;
}

/** Within a text the quote has one backslash more than around it. */
function closingOf(text: string, start: number, quote: string): number {
  const reach = text.slice(start, start + longestList);
  let end = reach.indexOf(quote);
  while (end > 0 && reach[end - 1] === "\\") end = reach.indexOf(quote, end + quote.length);
  return end < 0 ? -1 : start + end;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function firstPassword(list: readonly WrittenArgument[], command?: string): Span | undefined {
  const items = list.map((one) => one.text);
  for (const at of items.keys()) {
    const found = passwordOfArgument(items, at, command);
    const holder = found && list[found.index];
    if (found && holder) return { ...found, start: holder.start + found.start, end: holder.start + found.end };
  }
  return undefined;
}

const programName = /(?:curl|sshpass|(?:mysql|mariadb)(?:-?(?:dump|admin|import|check)|sh)?)(?:\.exe)?(?=\\*["'])/y;

/** `["mysql", "-u", "root", "-pPASSWORD"]` within a text. */
function programFinder(anchor: string, wakeAt: number): Finder {
  return {
    anchor,
    wakeAt,
    find: (text, at) => {
      const program = matchAt(programName, text, at);
      if (program === undefined || !/["'/\\]/.test(text.charAt(at - 1))) return undefined;
      const end = at + program.length;
      const behind = matchAt(firstArgument, text, end);
      const found = behind && firstPassword(writtenList(text, end + behind.length), program);
      if (found) return found;
      const first = firstBefore(text, at);
      return first === undefined ? undefined : firstPassword(writtenList(text, first), program);
    },
  };
}

const longestOption = 40;
const askingBefore =
  /["'/\\](?:psql|pg_\w+|createdb|dropdb|createuser|dropuser|vacuumdb|reindexdb|(?:mysql|mariadb)[\w-]*)(?:\.exe)?\\*["'][^\][]*$/;

/** `["--password", "PASSWORD"]` within a text. */
function optionFinder(anchor: string, wakeAt: number): Finder {
  return {
    anchor,
    wakeAt,
    find: (text, at) => {
      const end = at + anchor.length;
      if (matchAt(opening, text, end) === undefined) return undefined;
      const quoted = /["'](--?[\w-]*)$/.exec(text.slice(Math.max(0, at - longestOption), end));
      if (!quoted?.[1]) return undefined;
      const start = end - quoted[1].length;
      if (askingBefore.test(text.slice(Math.max(0, start - 240), start))) return undefined;
      const quote = /\\*["']$/.exec(text.slice(Math.max(0, start - 16), start))?.[0] ?? "";
      return firstPassword(writtenList(text, start - quote.length, 2));
    },
  };
}

export const argumentListFinders: readonly Finder[] = [
  ...["curl'", 'curl"', "curl\\", "curl.exe"].map((anchor) => programFinder(anchor, anchor.indexOf("rl"))),
  programFinder("mysql", "mysql".indexOf("ysq")),
  programFinder("mariadb", "mariadb".indexOf("iad")),
  programFinder("sshpass", "sshpass".indexOf("hpa")),
  optionFinder("-password", "-password".indexOf("swo")),
  optionFinder("-passwd", "-passwd".indexOf("swd")),
  optionFinder("-passphrase", "-passphrase".indexOf("sph")),
];
