import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "#core/machine";
import { isJsonObject, parseJson } from "#core/values";
import { type KnownRefusals, knownRefusals, type RefusedForms } from "../../facts/known-refusals.ts";

/** Below `planes/`, which no turn can write. A cache: without it the server refuses once more. */
export const learnedPath = "planes/hot/learned-models.json";

/** By profile and model. */
export type LearnedFile = Readonly<Record<string, Readonly<Record<string, RefusedForms>>>>;

export function readLearned(root: string): LearnedFile {
  try {
    const parsed = parseJson(readFileSync(join(root, learnedPath), "utf8"));
    return parsed.ok && isJsonObject(parsed.value) ? (parsed.value as unknown as LearnedFile) : {};
  } catch {
    return {}; // nothing was learned yet
  }
}

/** What the server of one profile has refused, over the life of the workspace. */
export function refusalsOfProfile(
  root: string,
  profile: { readonly name: string; readonly base_url: string | null },
): KnownRefusals {
  const key = `${profile.name} ${profile.base_url ?? ""}`.trim();
  return knownRefusals(readLearned(root)[key], (byModel) => {
    // Read again: another process may have learned of another profile meanwhile.
    const all = { ...readLearned(root), [key]: byModel };
    replaceFile(join(root, learnedPath), `${JSON.stringify(all, null, 2)}\n`).catch(() => undefined); // not kept: the next process learns it again
  });
}
