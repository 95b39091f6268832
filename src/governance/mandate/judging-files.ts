import type { WorkOrder } from "#core/contracts";
import { namesExplicitly } from "../paths/explicit-name.ts";

const interpreter =
  /^(?:.*\/)?(?:sh|bash|dash|zsh|ksh|node|nodejs|tsx|deno|bun|python[\d.]*|perl|ruby|php|lua|env|exec|time|nice)$/;
const plainPath = /^(?:\.\/)*([\w@%+-][\w.@%+-]*(?:\/[\w@%+-][\w.@%+-]*)*)$/;

/**
 * Files of the workspace that an order's criteria start: what judges the order is not its agent's to write by the way. A pattern
 * that names the file or spells its top folder says that it is, as for a user's own `packages/`; `**` does not.
 */
export function judgingFiles({ acceptance, scope }: Pick<WorkOrder, "acceptance" | "scope">): readonly string[] {
  const found = new Set<string>();
  for (const written of [...(acceptance.tests ?? []), ...(acceptance.checks ?? [])]) {
    const command = typeof written === "string" ? written : (written.command ?? []);
    const words = typeof command === "string" ? command.split(/\s+/) : command;
    for (const path of startedBy(words)) found.add(path);
  }
  return [...found].filter((path) => {
    const [folder = path] = path.split("/");
    const code = { why: "", ...(path.includes("/") ? { folder } : {}) };
    return !(scope.allowed_files ?? []).some((pattern) => namesExplicitly(pattern, path, code));
  });
}

/** The first word that is a file, past interpreters and their options; in a text for a shell, of each of its commands. */
function startedBy(words: readonly string[]): readonly string[] {
  let follows = false;
  for (const word of words) {
    if (word === "") continue;
    if (/\s|[;&|]/.test(word))
      return word.split(/[;&|\n]+/).flatMap((line) => startedBy(line.split(/\s+/).filter((each) => each !== "")));
    if (interpreter.test(word)) follows = true;
    else if (!(follows && (word.startsWith("-") || /^(?:run|test|\w+=.*)$/.test(word)))) {
      const path = plainPath.exec(word)?.[1];
      return path !== undefined && (follows || word.includes("/")) ? [path] : [];
    }
  }
  return [];
}
