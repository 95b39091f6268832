import type { Finder } from "./finder.ts";
import { isPlaceholder } from "./placeholder.ts";
import type { Span } from "./span.ts";

const kind = "password";

/** The name of the program is at most this many characters before its option; a longer command is broken into lines. */
const longestCommand = 240;
const ofCurl = /(?:^|[^\w-]|\\[nrt])curl(?:\.exe)?\s[^\n|;]*$/;
const ofMysql =
  /(?:^|[^\w-]|\\[nrt])(?:mysql|mariadb)(?:dump|admin|import|check|sh|-dump|-admin|-import|-check)?\s[^\n|;]*$/;

/** `curl -u user:password`: the name is kept. */
function userOption(option: string, wakeAt: number): Finder {
  return {
    anchor: option,
    wakeAt,
    find: (text, at) => {
      if (!text.startsWith(option, at) || !ofCurl.test(text.slice(Math.max(0, at - longestCommand), at)))
        return undefined;
      const word = shellWord(text, at + option.length);
      const colon = text.slice(word.start, Math.min(word.end, word.start + 256)).indexOf(":");
      return colon <= 0 ? undefined : passwordIn(text, word.start + colon + 1, word.end);
    },
  };
}

/** `mysql -pPASSWORD`, attached to its letter; a word after a blank is a database. */
const mysqlFinder: Finder = {
  anchor: " -p",
  find: (text, at) => {
    const start = at + 3;
    if (!text.startsWith(" -p", at) || /^(?:[\s-]|$)/.test(text.charAt(start))) return undefined;
    if (!ofMysql.test(`${text.slice(Math.max(0, at - longestCommand), at)} `)) return undefined;
    const word = shellWord(text, start);
    return passwordIn(text, word.start, word.end);
  },
};

/** `sshpass -p PASSWORD`. */
const sshpassFinder: Finder = {
  anchor: "sshpass -p",
  wakeAt: 2,
  find: (text, at) => {
    const word = shellWord(text, at + "sshpass -p".length);
    return passwordIn(text, word.start, word.end);
  },
};

/** `--password=…`, whatever the program. */
const passwordOption: Finder = {
  anchor: "--password=",
  wakeAt: "--password=".indexOf("swo"),
  find: (text, at) => {
    const word = shellWord(text, at + "--password=".length);
    return passwordIn(text, word.start, word.end);
  },
};

/** Variables from which programs read a password, with the characters that wake the finder of each. */
const variables: readonly (readonly [name: string, wake: string])[] = [
  ["PGPASSWORD", "GPA"],
  ["MYSQL_PWD", "L_P"],
  ["SSHPASS", "HPA"],
  ["REDISCLI_AUTH", "I_A"],
];

/** `PGPASSWORD=… psql`, and the same in JSON; after a colon and a blank there is usually a description, not a value. */
function variable(name: string, wake: string): Finder {
  return {
    anchor: name,
    wakeAt: name.indexOf(wake),
    find: (text, at) => {
      const start = at + name.length;
      const assigned =
        text.startsWith(name, at) && /^(?:=|\\*["']\s?:\s?(?=\\*["']))/.exec(text.slice(start, start + 24));
      if (!assigned) return undefined;
      const word = shellWord(text, start + assigned[0].length);
      return passwordIn(text, word.start, word.end);
    },
  };
}

export const commandLineFinders: readonly Finder[] = [
  userOption("-u ", 0),
  userOption("--user ", 0),
  mysqlFinder,
  sshpassFinder,
  passwordOption,
  ...variables.map(([name, wake]) => variable(name, wake)),
];

const variableName = new RegExp(`^(?:${variables.map(([name]) => name).join("|")})$`);

/** Whether the value under this key in JSON is a password because of the key. */
export function isPasswordVariable(key: string): boolean {
  return variableName.test(key);
}

/**
 * The word that a shell would read here, without its quotes, which may contain blanks; quotes may be escaped as in
 * JSON.
 */
function shellWord(text: string, from: number): { readonly start: number; readonly end: number } {
  const opening = /^ {0,4}(\\*["'])?/.exec(text.slice(from, from + 24)) ?? [""];
  const [before = "", quote] = opening;
  const start = from + before.length;
  const closing = quote === undefined ? -1 : text.slice(start, start + longestQuoted).indexOf(quote);
  if (closing >= 0) return { start, end: start + closing };
  unquoted.lastIndex = start;
  return { start, end: start + (unquoted.exec(text)?.[0].length ?? 0) };
}

const longestQuoted = 256;
const unquoted = /[^\s"'`\\;|&<>()]*/y;

/** Placeholders in documents are kept: a variable, stars, the word itself, a name in capitals. */
export function passwordIn(text: string, start: number, end: number): Span | undefined {
  const value = text.slice(start, Math.min(end, start + longestQuoted));
  if (value.length < 3 || isPlaceholder(value) || /^[A-Z_]+$/.test(value)) return undefined;
  return /^(?:(?:your|my|the)[_-]?)?pass(?:word|wd)?$/i.test(value) ? undefined : { start, end, kind };
}
