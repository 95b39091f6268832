import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Framework } from "#governance";
import type { FlowDependencies } from "../flow/flow.ts";
import { type StepStrategy, singleStepStrategy } from "./step-strategy.ts";
import { writtenStrategy } from "./written-strategy.ts";

type Sources = Pick<FlowDependencies, "strategies" | "config">;
type Brought = Pick<Framework, "manifest" | "strategies">;

/** The document of a strategy that the framework brings; undefined for an order of another type. */
export function findWritten(
  { manifest, strategies }: Brought,
  type: string,
): Result<Brought["strategies"][number] | undefined> {
  const written = strategies.find(({ document }) => document.strategy_id === type);
  if (written || !type.startsWith("STR-")) return ok(written);
  const there = strategies.map(({ document }) => document.strategy_id).join(", ") || "none";
  return err(
    domainError(
      "WORK_ORDER_INVALID",
      `type of the work order: ${manifest.framework_id} brings no strategy ${type}; it brings ${there}`,
      { details: { where: "type", framework_id: manifest.framework_id } },
    ),
  );
}

/**
 * One prompt, unless a program registered a strategy for this type of order or the framework brings one: then that one, or a
 * refusal where the feature is off.
 */
export function stepStrategyOf(deps: Sources, type: string, framework: Brought): Result<StepStrategy> {
  const own = Object.hasOwn(deps.strategies, type) ? deps.strategies[type] : undefined;
  const written = own ? ok(undefined) : findWritten(framework, type);
  if (!written.ok) return written;
  if (!own && !written.value) return ok(singleStepStrategy);
  if (!deps.config.v2_features.multi_step_enabled)
    return err(
      domainError(
        "FEATURE_DISABLED",
        `orders of type "${type}" have a strategy of their own, and strategies are switched off (v2_features.multi_step_enabled in writ.yaml)`,
      ),
    );
  return ok(own ?? (written.value ? writtenStrategy(written.value) : singleStepStrategy));
}
