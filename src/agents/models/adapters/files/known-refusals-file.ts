import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "#core/machine";
import { isJsonObject, parseJson } from "#core/values";
import { type LearnedWays, rememberedWays, type Ways } from "../../facts/ways.ts";

/** Below `planes/`, which no turn can write. A cache: without it a server refuses once more, and it is learned again. */
export const learnedPath = "planes/hot/learned-models.json";

/** By profile and model. */
export type LearnedFile = Readonly<Record<string, Readonly<Record<string, Ways>>>>;

export function readLearned(root: string): LearnedFile {
  try {
    const parsed = parseJson(readFileSync(join(root, learnedPath), "utf8"));
    return parsed.ok && isJsonObject(parsed.value) ? (parsed.value as unknown as LearnedFile) : {};
  } catch {
    return {}; // nothing was learned yet
  }
}

/** What the server of one profile has refused, over the life of the workspace. */
export function learnedWaysOf(
  root: string,
  profile: { readonly name: string; readonly base_url: string | null },
): LearnedWays {
  const key = `${profile.name} ${profile.base_url ?? ""}`.trim();
  return rememberedWays(readLearned(root)[key], (ways) => {
    // Read again: another process may have learned of another profile meanwhile.
    const all = { ...readLearned(root), [key]: ways };
    replaceFile(join(root, learnedPath), `${JSON.stringify(all, null, 2)}\n`).catch(() => undefined); // not kept: the next process learns it again
  });
}
