import { type Event } from "../event.ts";
import { isEvent } from "../narrow-event.ts";

/** What one role spent on one model. */
export interface ModelCost {
  readonly role: string;
  readonly model: string;
  readonly calls: number;
  readonly input: number;
  /** The part of the input that came from the provider's cache. */
  readonly cached: number;
  readonly output: number;
  readonly usd: number;
}

/** What a session spent, against the budget of its order. */
export interface Cost {
  readonly calls: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly usd: number;
  /** The provider did not state some usage: it counts as the reservation. */
  readonly estimated: boolean;
  readonly by: readonly ModelCost[];
  /** Orders that it handed down; not counted in the sums above. */
  readonly below: { readonly orders: number; readonly tokens: number; readonly usd: number };
  readonly token_limit: number | null;
  readonly usd_limit: number | null;
  /** Time that gates took. */
  readonly gates_ms: number;
}

type Usage = Event<"llm.response">["payload"]["usage"];

export class CostFold {
  readonly #by = new Map<string, ModelCost>();
  /** Models by request: a response that failed names none. */
  readonly #asked = new Map<string, string>();
  #estimated = false;
  #below = { orders: 0, tokens: 0, usd: 0 };
  #limits: Pick<Cost, "token_limit" | "usd_limit"> = { token_limit: null, usd_limit: null };
  #gates = 0;

  add(event: Event): void {
    if (isEvent(event, "wo.started")) {
      const { token_limit, usd_limit } = event.payload.budget_scope ?? {};
      this.#limits = { token_limit: numberOr(token_limit), usd_limit: numberOr(usd_limit) };
    } else if (isEvent(event, "llm.request")) this.#asked.set(event.payload.request_id, event.payload.model);
    else if (isEvent(event, "llm.response")) this.#answered(event.payload);
    else if (isEvent(event, "delegation.ended")) {
      const { tokens_used, usd = 0 } = event.payload;
      if (!tokens_used) return;
      const { orders, tokens, usd: before } = this.#below;
      this.#below = { orders: orders + 1, tokens: tokens + tokens_used.input + tokens_used.output, usd: before + usd };
    } else if (isEvent(event, "hook.fired")) this.#gates += event.payload.duration_ms;
  }

  cost(): Cost {
    const by = [...this.#by.values()];
    const sum = (field: "calls" | "input" | "cached" | "output" | "usd") =>
      by.reduce((all, one) => all + one[field], 0);
    return {
      calls: sum("calls"),
      input: sum("input"),
      cached: sum("cached"),
      output: sum("output"),
      usd: sum("usd"),
      estimated: this.#estimated,
      by,
      below: this.#below,
      ...this.#limits,
      gates_ms: this.#gates,
    };
  }

  #answered({ request_id, role, model, usage }: Event<"llm.response">["payload"]): void {
    const asked = this.#asked.get(request_id);
    this.#asked.delete(request_id);
    const name = model ?? asked ?? "unknown";
    const key = JSON.stringify([role, name]);
    const before = this.#by.get(key) ?? { role, model: name, calls: 0, input: 0, cached: 0, output: 0, usd: 0 };
    this.#by.set(key, spent(before, usage));
    if (usage.estimated === true) this.#estimated = true;
  }
}

function spent(before: ModelCost, usage: Usage): ModelCost {
  return {
    ...before,
    calls: before.calls + 1,
    input: before.input + usage.input_tokens,
    cached: before.cached + (usage.cached_input_tokens ?? 0),
    output: before.output + usage.output_tokens,
    usd: before.usd + (usage.cost_usd ?? 0),
  };
}

function numberOr(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
