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

/** Where in the address a question stands, so that it can be sent to somebody. */
export interface Question {
  readonly rule: string;
  readonly days: number | null;
}

export function readQuestion(search: string): Question | null {
  const params = new URLSearchParams(search);
  const rule = params.get("rule");
  const days = Number(params.get("days"));
  return rule === null ? null : { rule, days: Number.isInteger(days) && days > 0 ? days : null };
}

export function addressOf({ rule, days }: Question): string {
  return `/policies?${new URLSearchParams({ rule, ...(days === null ? {} : { days: String(days) }) })}`;
}
