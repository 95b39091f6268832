import type { Event } from "#log";

/** One thing that a session did, as far as it can be held against another's. */
export interface SessionStep {
  readonly kind: "call" | "tool" | "gate";
  /** Who or what: the role, the tool, the gate with its subject. */
  readonly name: string;
  /** The name, of a tool with its arguments: two steps with one label are the same step. */
  readonly label: string;
  /** What came of it. */
  readonly result: string;
  readonly seq: number;
  readonly tokens?: number;
  readonly usd?: number;
}

export interface SessionSteps {
  readonly steps: readonly SessionStep[];
  readonly status: string | null;
  readonly output: string | null;
  readonly tokens: number;
  readonly usd: number;
}

/** A fold over the events of one session: role calls, tool calls, gates, the output and the cost. */
export function sessionSteps(events: Iterable<Event>): SessionSteps {
  const steps: SessionStep[] = [];
  const invoked = new Map<string, string>();
  let status: string | null = null;
  let output: string | null = null;
  for (const event of events) {
    const step = stepOf(event, invoked);
    if (step) steps.push(step);
    if (event.type === "wo.completed" || event.type === "wo.failed") output = event.payload.output ?? null;
    if (event.type === "session.close") status = event.payload.status;
  }
  const sum = (of: (step: SessionStep) => number | undefined) => steps.reduce((all, step) => all + (of(step) ?? 0), 0);
  return { steps, status, output, tokens: sum(({ tokens }) => tokens), usd: sum(({ usd }) => usd) };
}

function stepOf(event: Event, invoked: Map<string, string>): SessionStep | undefined {
  const { seq } = event;
  switch (event.type) {
    case "llm.response": {
      const { role, text, tool_calls = [], error, usage } = event.payload;
      const calls = tool_calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`);
      const said = [...(text ? [text] : []), ...calls].join("; ");
      return {
        kind: "call",
        name: role,
        label: role,
        seq,
        result: error ? `${error.code}: ${error.message}` : said,
        tokens: usage.input_tokens + usage.output_tokens,
        usd: usage.cost_usd ?? 0,
      };
    }
    case "tool.invoke": {
      const { call_id, name, args } = event.payload;
      invoked.set(call_id, `${name} ${JSON.stringify(args)}`);
      return undefined;
    }
    case "tool.output": {
      const { call_id, name, content, error } = event.payload;
      const result = error ? `${error.code}: ${error.message}` : JSON.stringify(content);
      return { kind: "tool", name, label: invoked.get(call_id) ?? name, result, seq };
    }
    case "tool.refused": {
      const { name, code, reason } = event.payload;
      return { kind: "tool", name, label: name, result: `refused, ${code}: ${reason}`, seq };
    }
    case "hook.fired": {
      const { point, subject, decision, handler } = event.payload;
      const label = subject === undefined ? point : `${point} ${subject}`;
      return { kind: "gate", name: label, label, result: `${decision} by ${handler}`, seq };
    }
    default:
      return undefined;
  }
}
