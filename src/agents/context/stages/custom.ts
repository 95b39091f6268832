import { type DomainError, domainError, messageOf } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";
import type { CustomStage, RunStage, StageContext } from "../pipeline/stage.ts";

export const custom: RunStage<"custom"> = async (stage, context) => {
  const handler = context.sources.custom.get(stage.handler);
  if (!handler) return err(unknownHandler(stage.handler, context.sources.custom));
  const over = context.meter.ask();
  if (over) return ok({ does: "add", fragments: [], found: 0, limit: over });
  const config = (stage.config ?? {}) as JsonObject;
  const asked = { handler: stage.handler, config };
  const found = await inTime(() => handler(config, context), context);
  if (found === "late") return ok({ does: "add", fragments: [], found: 0, asked, limit: context.meter.late() });
  if (!found.ok) return found;
  const { fragments, warnings = [] } = found.value;
  return ok({
    does: "add",
    fragments: fragments.map((fragment) => ({ ...fragment, trust: fragment.trust ?? "untrusted" })),
    found: fragments.length,
    warnings,
    asked,
    limit: context.meter.late(),
  });
};

export function unknownHandler(name: string, known: ReadonlyMap<string, CustomStage>): DomainError {
  return domainError(
    "CONFIG_INVALID",
    `no attention handler is registered as ${JSON.stringify(name)}; there is ${[...known.keys()].join(", ") || "none"}`,
    { details: { handler: name } },
  );
}

/** A handler that never answers does not hold the flow: when the time is up, its answer is no longer waited for. */
async function inTime<T>(work: () => Promise<Result<T>>, { meter }: StageContext): Promise<Result<T> | "late"> {
  if (meter.signal.aborted) return "late";
  let give: () => void = () => undefined;
  const late = new Promise<"late">((resolve) => {
    give = () => resolve("late");
    meter.signal.addEventListener("abort", give, { once: true });
  });
  try {
    return await Promise.race([work(), late]);
  } catch (thrown) {
    return err(domainError("INTERNAL", `an attention handler threw: ${messageOf(thrown)}`, { cause: thrown }));
  } finally {
    meter.signal.removeEventListener("abort", give);
  }
}
