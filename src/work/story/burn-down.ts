import type { Screen } from "#core/terminal";
import type { Event } from "#log";

/** What a request has spent of what its order allows, while it goes on. */
export class BurnDown {
  #tokens = 0;
  #usd = 0;
  #limits: Readonly<Record<string, unknown>> = {};

  add(event: Event): void {
    if (event.type === "wo.started") this.#limits = event.payload.budget_scope ?? {};
    if (event.type === "delegation.ended") {
      const { tokens_used, usd = 0 } = event.payload;
      this.#tokens += (tokens_used?.input ?? 0) + (tokens_used?.output ?? 0);
      this.#usd += usd;
    }
    if (event.type !== "llm.response") return;
    const { usage } = event.payload;
    this.#tokens += usage.input_tokens + usage.output_tokens;
    this.#usd += usage.cost_usd ?? 0;
  }

  /** For the right edge of a line; empty where the order has no limit. */
  left(screen: Screen): string {
    const { token_limit, usd_limit } = this.#limits;
    const tokens =
      typeof token_limit === "number" ? [`${formatCount(this.#tokens)} of ${formatCount(token_limit)} tok`] : [];
    const money = typeof usd_limit === "number" ? [`$${this.#usd.toFixed(2)} of $${usd_limit.toFixed(2)}`] : [];
    return [...tokens, ...money].join(` ${screen.sign.dot} `);
  }
}

function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}
