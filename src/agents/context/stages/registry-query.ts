import { domainError } from "#core/errors";
import { err, ok } from "#core/values";
import type { RunStage } from "../pipeline/stage.ts";
import { readRegistry, rowKey, rowText } from "./read-registry.ts";

/** Rows of a CSV registry. Registries are policy: no turn and no tool can write them, so they are trusted. */
export const registryQuery: RunStage<"registry_query"> = async (stage, context) => {
  const over = context.meter.ask();
  if (over) return ok({ does: "add", fragments: [], found: 0, limit: over });
  const registry = await readRegistry(stage.registry, context);
  if (!registry.ok) return registry;
  const asked = { registry: stage.registry, where: stage.where ?? {}, columns: stage.columns ?? [] };
  if ("withheld" in registry.value) {
    const { withheld } = registry.value;
    return ok({ does: "add", fragments: [], found: 0, dropped: { withheld: 1 }, warnings: [withheld], asked });
  }
  const { rows, hash, path } = registry.value;
  const wanted = [...(stage.columns ?? []), ...Object.keys(stage.where ?? {})];
  const unknown = wanted.filter((column) => rows[0] && !Object.hasOwn(rows[0], column));
  if (unknown.length > 0)
    return err(domainError("CONFIG_INVALID", `${path} has no column ${unknown.join(", ")} (registry_query)`));
  const matching = rows
    .map((row, index) => ({ row, index }))
    .filter(({ row }) => Object.entries(stage.where ?? {}).every(([column, value]) => row[column] === String(value)));
  const kept = matching.slice(0, stage.limit ?? 50);
  return ok({
    does: "add",
    fragments: kept.map(({ row, index }) => ({
      origin: `registry:${stage.registry}#${rowKey(row, index)}`,
      trust: "trusted",
      text: rowText(row, stage.columns),
      source_hash: hash,
    })),
    found: matching.length,
    dropped: kept.length < matching.length ? { limit: matching.length - kept.length } : {},
    asked,
  });
};
