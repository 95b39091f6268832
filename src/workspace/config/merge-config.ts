import { isJsonObject } from "#core/values";
import type { Origin } from "./writ-config.ts";

type Tree = Readonly<Record<string, unknown>>;

/** Lays one tree over another: sections and maps key by key, everything else as a whole. */
export function overlay(below: Tree, above: Tree): Tree {
  const merged: [string, unknown][] = Object.entries(below).filter(([key]) => !Object.hasOwn(above, key));
  for (const [key, value] of Object.entries(above)) {
    const base = Object.hasOwn(below, key) ? below[key] : undefined;
    merged.push([key, isJsonObject(base) && isJsonObject(value) ? overlay(base, value) : value]);
  }
  const order = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return Object.fromEntries(merged.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

/** Each value at the end of a branch, with its path. An empty map or list is such an end. */
export function* leaves(
  tree: unknown,
  path: readonly string[] = [],
): Generator<{ readonly path: readonly string[]; readonly value: unknown }> {
  if (isJsonObject(tree) && Object.keys(tree).length > 0)
    for (const [key, value] of Object.entries(tree)) yield* leaves(value, [...path, key]);
  else yield { path, value: tree };
}

/** Whether a tree says something about this path. */
export function says(tree: unknown, path: readonly string[]): boolean {
  let at: unknown = tree;
  for (const part of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, part)) return false;
    at = at[part];
  }
  return true;
}

export function describeOrigin(origin: Origin, file: string): string {
  switch (origin.from) {
    case "default":
      return "default";
    case "file":
      return `${file}:${origin.line}`;
    case "environment":
      return `environment ${origin.variable}`;
  }
}
