import { ledgerRules } from "#core/contracts";
import type { Event, EventInput, EventType } from "#log";
import { ChangedFiles } from "../acceptance/changed-files.ts";
import type { SessionMiddleware } from "./layered-session.ts";
import { RefusedActs } from "./refused-acts.ts";

/** What the runner tracks of a running session. */
export interface SessionTally {
  prompted: boolean;
  /** Whether a model, a tool, a program or a child order was called: from then on a failure is no longer a rejection. */
  acted: boolean;
  input: number;
  output: number;
  usd: number;
  modelCalls: number;
  /** Calls that were made, by tool. */
  readonly toolCalls: Map<string, number>;
  failedToolCalls: number;
  refusedToolCalls: number;
  /** What was tried outside the order. */
  readonly refusedActs: RefusedActs;
  readonly files: ChangedFiles;
  readonly ledgerEntryIds: string[];
}

const acts: ReadonlySet<EventType> = new Set(["llm.request", "tool.invoke", "turn.started", "delegation.made"]);

/** Observes a session's events: tallies them for the result and passes each to `onEvent`. Events from before a stop come first. */
export function watchSession(
  onEvent: ((event: Event) => void) | undefined,
  before: readonly Event[] = [],
): { readonly middleware: SessionMiddleware; readonly tally: SessionTally } {
  const tally: SessionTally = {
    prompted: false,
    acted: false,
    input: 0,
    output: 0,
    usd: 0,
    modelCalls: 0,
    toolCalls: new Map(),
    failedToolCalls: 0,
    refusedToolCalls: 0,
    refusedActs: new RefusedActs(),
    files: new ChangedFiles(),
    ledgerEntryIds: [],
  };
  const see = (event: Event): void => {
    if (Object.hasOwn(ledgerRules, event.type)) tally.ledgerEntryIds.push(event.id);
    if (event.type === "llm.request") tally.prompted = true;
    if (acts.has(event.type)) tally.acted = true;
    if (event.type === "llm.response") {
      const { usage } = event.payload;
      tally.input += usage.input_tokens;
      tally.output += usage.output_tokens;
      tally.usd += usage.cost_usd ?? 0;
    }
    tally.refusedActs.see(event);
    count(tally, event);
    onEvent?.(event);
  };
  for (const event of before) see(event);
  const middleware: SessionMiddleware = (next) => ({
    async append<T extends EventType>(input: EventInput<T>) {
      const recorded = await next.append(input);
      if (recorded.ok) see(recorded.value);
      return recorded;
    },
    stage<T extends EventType>(input: EventInput<T>) {
      const recorded = next.stage(input);
      if (recorded.ok) see(recorded.value);
      return recorded;
    },
    async close(input) {
      const closed = await next.close(input);
      if (closed.ok) see(closed.value);
      return closed;
    },
  });
  return { middleware, tally };
}

function count(tally: SessionTally, event: Event): void {
  if (event.type === "llm.request") tally.modelCalls += 1;
  else if (event.type === "tool.invoke") {
    // A later attempt is the same call.
    if (event.payload.attempt === 1)
      tally.toolCalls.set(event.payload.name, (tally.toolCalls.get(event.payload.name) ?? 0) + 1);
  } else if (event.type === "tool.result") tally.failedToolCalls += event.payload.status === "ok" ? 0 : 1;
  else if (event.type === "tool.refused") tally.refusedToolCalls += 1;
  else if (event.type === "turn.committed") tally.files.add(event);
}
