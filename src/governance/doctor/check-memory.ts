import { openDatabase } from "#core/database";
import { type DoctorCheck, type DoctorSurroundings, doctorCheck } from "#core/shapes";
import { isoTime, ok, type Result, systemRandom } from "#core/values";
import { judgeForReading, memoryPlace, readKept } from "#proof";
import { loadConfig, storePlace, type WritConfig } from "#workspace";
import { workspaceSecrets } from "../trust/workspace-secrets.ts";

type Looked = { readonly found: string } | { readonly behind: string; readonly hint: string | undefined };

/** Whether the store still holds the newest checkpoint that this machine saw of it. */
export const checkMemory: DoctorCheck = doctorCheck<string | null>({
  id: "memory",
  title: "Newest checkpoint",
  async run(surroundings) {
    const { root, env, files } = surroundings;
    if (root === undefined) return { health: "works", found: "no workspace, so nothing to keep" };
    const config = await loadConfig(root, files, env);
    if (!config.ok)
      return { health: "limited", found: "not looked at: the configuration cannot be read", why: null, cause: null };
    const looked = await look(root, config.value, surroundings);
    if (!looked.ok)
      return { health: "limited", found: `not looked at: ${looked.error.message}`, why: null, cause: null };
    if ("found" in looked.value) return { health: "works", found: looked.value.found };
    const { behind, hint } = looked.value;
    return { health: "broken", found: behind, why: "nothing is recorded here, so nothing runs", cause: hint ?? null };
  },
  remedy: (hint) => hint,
});

async function look(root: string, config: WritConfig, surroundings: DoctorSurroundings): Promise<Result<Looked>> {
  const { env, clock } = surroundings;
  if (config.store.startsWith("sqlite:")) return judge({ root, env, postgres: undefined });
  const secrets = await workspaceSecrets(config, { ...surroundings, root });
  if (!secrets.ok) return secrets;
  const place = await storePlace(config.store, root, secrets.value);
  if (!place.ok) return place;
  if (place.value.kind === "sqlite") return judge({ root, env, postgres: undefined });
  const opened = await openDatabase(place.value.address, { clock, random: systemRandom });
  if (!opened.ok) return opened;
  const postgres = opened.value;
  try {
    return await judge({ root, env, postgres });
  } finally {
    await postgres.close();
  }
}

async function judge(store: Parameters<typeof memoryPlace>[0]): Promise<Result<Looked>> {
  const place = await memoryPlace(store);
  if (!place)
    return ok({ found: "this user has no folder of their own, so none is kept: an older store would not show" });
  const judged = await judgeForReading(store);
  if (!judged.ok) {
    const { hint } = judged.error.details;
    return ok({ behind: judged.error.message, hint: typeof hint === "string" ? hint : undefined });
  }
  const found = readKept(place);
  if (found.is !== "kept") return ok({ found: "none is kept yet: the first is, when a session ends here" });
  const { tree_size, ts } = found.kept.checkpoint;
  return ok({ found: `the store holds it: ${tree_size} heads, ${isoTime(Date.parse(ts))}` });
}
