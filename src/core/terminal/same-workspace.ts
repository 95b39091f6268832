import type { GlobalOptions } from "../commands/act.ts";
import { shellWord } from "./shell-word.ts";

/** What a command that is suggested needs at its end, to speak of the workspace that this one was about. */
export function sameWorkspace({ root, store }: Pick<GlobalOptions, "root" | "store">): string {
  const place = root === undefined ? "" : ` --root ${shellWord(root)}`;
  return store === undefined ? place : `${place} --store ${shellWord(store)}`;
}
