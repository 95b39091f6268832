import type { BudgetLimits } from "#agents";
import type { WorkOrder } from "#core/contracts";
import { toolNames } from "#governance/mandate";
import { covers } from "#people";

export interface RiskSources {
  /** Tools of others that may change something: no hint of theirs says that they only read. */
  readonly foreignTools: () => readonly string[];
  /** What a request may cost before it is reviewed; null: money alone asks for no review. */
  readonly aboveUsd: number | null;
}

const mostNamed = 3;

/** What an order grants that reaches beyond its layer, or costs much. By grants alone: words of a request weigh nothing. */
export function risksOf(
  order: WorkOrder,
  limits: BudgetLimits,
  { foreignTools, aboveUsd }: RiskSources,
): readonly string[] {
  const names = toolNames(order);
  const foreign = foreignTools().filter((tool) => covers(names, tool));
  const code = order.scope.code_that_runs ?? [];
  const { usd_limit } = limits;
  return [
    ...(foreign.length > 0 ? [`tools that act outside the workspace (${listed(foreign)})`] : []),
    ...(code.length > 0 ? [`code that runs (${listed(code)})`] : []),
    ...(aboveUsd !== null && usd_limit !== undefined && usd_limit > aboveUsd
      ? [`up to $${usd_limit}, above review.above_usd ($${aboveUsd})`]
      : []),
  ];
}

function listed(names: readonly string[]): string {
  const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : "";
  return `${names.slice(0, mostNamed).join(", ")}${more}`;
}
