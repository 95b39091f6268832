/** How much context an agent reads before it acts: OPEN explores, CLOSING narrows, CLOSED has only what the last output needs. */
export type Aperture = "open" | "closing" | "closed";

/** When the aperture narrows: after this many steps, or when less than this share of the tokens is left; the earlier of both. */
export interface ApertureRule {
  readonly to: Aperture;
  readonly after_steps?: number;
  readonly budget_below?: number;
}

/** The aperture of one flow. It never widens. */
export interface ApertureManager {
  readonly state: Aperture;
  /** The next state; null when no rule applies. */
  shouldTransition(stepCount: number, budgetRemaining: number): Aperture | null;
  transition(to: Aperture): void;
}

const order: readonly Aperture[] = ["open", "closing", "closed"];

/** With the feature off the aperture is closed and stays so, as in seed 000's v1. */
export function createAperture(enabled: boolean, rules: readonly ApertureRule[]): ApertureManager {
  let state: Aperture = enabled ? "open" : "closed";
  return {
    get state() {
      return state;
    },
    shouldTransition(stepCount, budgetRemaining) {
      const due = rules.filter(
        (rule) =>
          order.indexOf(rule.to) > order.indexOf(state) &&
          ((rule.after_steps !== undefined && stepCount >= rule.after_steps) ||
            (rule.budget_below !== undefined && budgetRemaining < rule.budget_below)),
      );
      return due.map((rule) => rule.to).sort((a, b) => order.indexOf(b) - order.indexOf(a))[0] ?? null;
    },
    transition(to) {
      state = to;
    },
  };
}
