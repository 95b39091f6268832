import type { Skill } from "./skill.ts";

/** A request that names a skill as a command: `/review 123 high`. */
const commandShape = /^\s*\/([A-Za-z0-9][A-Za-z0-9:_-]*)(?:\s+([\s\S]*))?$/;

/** A place for an argument, with the backslash that makes it none. */
const placeShape = /(?<escape>\\?)\$(?:ARGUMENTS(?<index>\[\d+\])?(?!\w)|(?<short>\d+)\b|(?<name>[A-Za-z_]\w*)\b)/g;

/** The name that a request begins with, and what stands behind it; undefined where it is no command. */
export function commandIn(prompt: string): { readonly name: string; readonly text: string } | undefined {
  const [, name, text = ""] = commandShape.exec(prompt) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase().replaceAll(/[:_]+/g, "-"), text: text.trim() };
}

/**
 * The instructions of a skill with the arguments of a command in their places: `$ARGUMENTS`, `$ARGUMENTS[0]`, `$0`, and the names
 * that its head lists. Where none has a place, they stand at the end. A place without an argument stays as it is.
 */
export function fillArguments(
  { body, id, frontmatter }: Pick<Skill, "body" | "id" | "frontmatter">,
  prompt: string,
): string {
  const command = commandIn(prompt);
  if (command?.name !== id) return body;
  const words = wordsOf(command.text);
  const named = namesOf((frontmatter as Readonly<Record<string, unknown>>)["arguments"]);
  let hasPlace = false;
  const filled = body.replaceAll(placeShape, (place: string, ...found: readonly unknown[]) => {
    const { escape, index, short, name } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    if (name !== undefined && !named.includes(name)) return place;
    if (escape !== "") return place.slice(1);
    const at = name === undefined ? (index ?? short) : String(named.indexOf(name));
    const word =
      at === undefined ? command.text : (words[Number(at.replace(/\D/g, ""))] ?? (name === undefined ? undefined : ""));
    if (word === undefined) return place;
    hasPlace = true;
    return word;
  });
  return hasPlace || command.text === "" ? filled : `${filled}\n\nARGUMENTS: ${command.text}`;
}

/** As a shell takes them apart: quotes hold words together. */
function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}

function namesOf(value: unknown): readonly string[] {
  const list = typeof value === "string" ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [];
  return list.filter((name): name is string => typeof name === "string" && name !== "");
}
