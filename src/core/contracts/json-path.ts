import { pathStep } from "../values/check-json.ts";

/** `$.steps[0].id` for the JSON pointer `/steps/0/id`. */
export function jsonPath(pointer: string): string {
  const parts = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return parts.reduce((path, part) => path + (/^(0|[1-9]\d*)$/.test(part) ? `[${part}]` : pathStep(part)), "$");
}

export function fieldPath(pointer: string, name: string): string {
  return jsonPath(pointer) + pathStep(name);
}

/** The keys and positions that a path in this notation names. */
export function pathKeys(path: string): readonly (string | number)[] {
  const keys: (string | number)[] = [];
  for (const [, name, index, quoted] of path.matchAll(/\.([A-Za-z_][\w-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (name !== undefined) keys.push(name);
    else if (index !== undefined) keys.push(Number(index));
    else if (quoted !== undefined) keys.push(JSON.parse(quoted) as string);
  }
  return keys;
}
