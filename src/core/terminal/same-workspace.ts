import type { GlobalOptions } from "../commands/act.ts";
import { shellWord } from "./shell-word.ts";

/** The options that a suggested command needs to address the same workspace as this one. */
export function sameWorkspace({ root, store }: Pick<GlobalOptions, "root" | "store">): string {
  const place = root === undefined ? "" : ` --root ${shellWord(root)}`;
  return store === undefined ? place : `${place} --store ${shellWord(store)}`;
}
