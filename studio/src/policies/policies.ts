/** What `GET /policies` answers. */
export interface Policies {
  readonly policies: readonly Policy[];
  readonly hooks: readonly Hook[];
}

export interface Policy {
  readonly id: string;
  readonly kind: string;
  readonly shadow?: boolean;
  readonly file: string;
  readonly title?: string;
  readonly text: string;
  readonly cycles: readonly string[];
}

export interface Hook {
  readonly id: string;
  readonly point: string;
  readonly matcher?: string;
  readonly kind: string;
  readonly source: string;
  readonly hash: string;
}

/** What the backtest panel is asked, as the address holds it, so that a link opens the same backtest. */
export interface Question {
  readonly rule: string;
  readonly days: number | null;
}

export function readQuestion(search: URLSearchParams): Question | null {
  const rule = search.get("rule");
  const days = Number(search.get("days"));
  return rule === null ? null : { rule, days: Number.isInteger(days) && days > 0 ? days : null };
}

/** The same address with another question in it. */
export function withQuestion(search: URLSearchParams, { rule, days }: Question): URLSearchParams {
  const next = new URLSearchParams(search);
  next.set("rule", rule);
  next.delete("days");
  if (days !== null) next.set("days", String(days));
  return next;
}
