import type { Skill } from "#agents";
import type { EventPayloads, WorkOrder } from "#core/contracts";
import type { JsonObject } from "#core/values";
import type { Framework } from "#governance";

/** How an order is carried out, and the rule that says so. */
export interface ChosenStrategy {
  readonly strategy: string;
  readonly rule: EventPayloads["strategy.chosen"]["rule"];
  readonly reason: string;
  readonly cycle?: string;
}

export interface StrategyQuestion {
  readonly order: Pick<WorkOrder, "type" | "cycle">;
  readonly skill: Skill | null;
  readonly framework: Pick<Framework, "strategy"> & { readonly manifest: Pick<Framework["manifest"], "framework_id"> };
  /** The order with the limits that hold for it, as `review_when` sees it. */
  readonly facts: JsonObject;
  /** What the order grants that a second look is worth, in words. */
  readonly risks: readonly string[];
}

/**
 * The first that says something: the order's type, its skill, its framework, the risk of what it grants, then nothing more,
 * and one agent does the work. `solo` as a type leaves the choice to the rules after it, because that is what Writ writes for
 * a request. Words of the request choose nothing but a skill: an agent that needs others asks for them itself.
 */
export function chooseStrategy(question: StrategyQuestion): ChosenStrategy {
  const { order, skill, risks } = question;
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
  if (skill && named !== undefined)
    return { strategy: named, rule: "skill", reason: `the skill ${skill.id} names the strategy ${named}` };
  const ruled = byFramework(question);
  if (ruled) return ruled;
  const [risk] = risks;
  if (risk !== undefined)
    return {
      strategy: "reviewed-solo",
      rule: "risk",
      reason: `the order grants what another agent looks at first: ${risks.join("; ")}`,
    };
  return { strategy: "solo", rule: "default", reason: "nothing asks for more than one agent" };
}

/** An expression without a value asks for the review: what cannot be judged is looked at. */
function byFramework({ framework, facts }: StrategyQuestion): ChosenStrategy | undefined {
  const { strategy, manifest } = framework;
  if (strategy.default !== undefined && strategy.default !== "solo")
    return {
      strategy: strategy.default,
      rule: "framework",
      reason: `${manifest.framework_id} carries out requests as ${strategy.default} (strategy.default)`,
    };
  if (!strategy.reviewWhen) return undefined;
  const value = strategy.reviewWhen.evaluate({ order: facts });
  if (value.ok && value.value === false) return undefined;
  const why = value.ok ? "" : `, which has no value: ${value.error.message}`;
  return {
    strategy: "reviewed-solo",
    rule: "framework",
    reason: `${manifest.framework_id} wants a review where ${strategy.reviewWhen.text} (strategy.review_when)${why}`,
  };
}

function cycleIn(cycle: string | undefined): { readonly cycle?: string } {
  return cycle === undefined || cycle === "" ? {} : { cycle };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
