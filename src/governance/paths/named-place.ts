import { comparablePath } from "./workspace-path.ts";

/** A name, or names one below the other, that mean something wherever they lie. */
export interface NamedPlace {
  /** Lower case, `/` between folders; `*` stands for any run of characters in one part of a path. */
  readonly name: string;
  /** `root`: only at the top of the workspace. `anywhere`: in every folder. */
  readonly at: "root" | "anywhere";
  readonly why: string;
}

/** Finds the place that a path is or lies in. */
export type FindPlace = (path: string) => NamedPlace | undefined;

type PartMatcher = (part: string) => boolean;

interface Compiled {
  readonly place: NamedPlace;
  readonly parts: readonly PartMatcher[];
}

/** Places by their first part where that is spelled out, so that most paths are compared with few of them. */
export function placeFinder(places: readonly NamedPlace[]): FindPlace {
  const spelled = new Map<string, Compiled[]>();
  const others: Compiled[] = [];
  for (const place of places) {
    const parts = place.name.split("/");
    const compiled = { place, parts: parts.map(partMatcher) };
    const [first = ""] = parts;
    if (first.includes("*")) others.push(compiled);
    else spelled.set(first, [...(spelled.get(first) ?? []), compiled]);
  }
  const mayBeOther = partMatcherOf(others.map(({ place }) => place.name.split("/")[0] ?? ""));
  return (path) => {
    const parts = comparablePath(path).split("/");
    const isAt = (index: number) => (each: Compiled) =>
      (each.place.at === "anywhere" || index === 0) &&
      each.parts.every((matches, offset) => {
        const part = parts[index + offset];
        return part !== undefined && matches(part);
      });
    for (const [index, part] of parts.entries()) {
      const found = spelled.get(part)?.find(isAt(index)) ?? (mayBeOther(part) ? others.find(isAt(index)) : undefined);
      if (found) return found.place;
    }
    return undefined;
  };
}

/** Whether a part of a path is one of these names: one expression, where each alone would be asked about every part. */
function partMatcherOf(names: readonly string[]): PartMatcher {
  if (names.length === 0) return () => false;
  const shape = new RegExp(`^(?:${[...new Set(names)].map(patternOf).join("|")})$`, "su");
  return (part) => shape.test(part);
}

function partMatcher(name: string): PartMatcher {
  if (!name.includes("*")) return (part) => part === name;
  const shape = new RegExp(`^${patternOf(name)}$`, "su");
  return (part) => shape.test(part);
}

function patternOf(name: string): string {
  return name
    .split("*")
    .map((part) => part.replaceAll(/[.+^$()[\]{}|\\]/g, "\\$&"))
    .join(".*");
}

/**
 * A quick look at the last name of a path: false when it cannot be one of these places, whatever folder it lies in. Names that are
 * not plain ASCII are left to the rule itself, which folds their forms.
 */
export function lastNameFilter(places: readonly NamedPlace[]): (name: string) => boolean {
  const names = new Set(places.map(({ name }) => patternOf(name.slice(name.lastIndexOf("/") + 1))));
  const likely = new RegExp(`^(?:${[...names].join("|")})(?:[. ]*|:.*)$`, "i");
  return (name) => likely.test(name) || !/^[ -~]*$/.test(name);
}

/** Places of one kind, for lists that are read by people. */
export function places(at: NamedPlace["at"], why: string, names: string): readonly NamedPlace[] {
  return names
    .split(/\s+/)
    .filter((name) => name !== "")
    .map((name) => ({ name, at, why }));
}
