import type { Skill } from "#agents";
import type { EventPayloads, WorkOrder } from "#core/contracts";

/** How an order is carried out, and the rule that says so. */
export interface ChosenStrategy {
  readonly strategy: string;
  readonly rule: EventPayloads["strategy.chosen"]["rule"];
  readonly reason: string;
  readonly cycle?: string;
}

/**
 * The first that says something: the order's type, the skill that it runs with, then nothing more, and one agent does the work.
 * `solo` as a type leaves the choice to the rules after it, because that is what Writ writes for a request.
 */
export function chooseStrategy(order: Pick<WorkOrder, "type" | "cycle">, skill: Skill | null): ChosenStrategy {
  const { type } = order;
  const cycle = textOf(skill?.frontmatter["cycle"]);
  if (type === "cycle")
    return {
      strategy: "cycle",
      rule: "order",
      reason: `the order runs the cycle ${order.cycle ?? ""}`,
      ...cycleIn(order.cycle),
    };
  if (skill && cycle !== undefined && (type === "plan-work-review" || type === "solo"))
    return { strategy: "cycle", rule: "skill", reason: `the skill ${skill.id} names the cycle ${cycle}`, cycle };
  if (type !== "solo") return { strategy: type, rule: "order", reason: `the order's type is ${type}` };
  const named = textOf(skill?.frontmatter["strategy"]);
  if (skill && named !== undefined && named !== "solo")
    return { strategy: named, rule: "skill", reason: `the skill ${skill.id} names the strategy ${named}` };
  return { strategy: "solo", rule: "default", reason: "nothing asks for more than one agent" };
}

function cycleIn(cycle: string | undefined): { readonly cycle?: string } {
  return cycle === undefined || cycle === "" ? {} : { cycle };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
