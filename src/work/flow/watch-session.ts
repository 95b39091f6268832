import { type EventPayloads, ledgerRules } from "#core/contracts";
import { domainError } from "#core/errors";
import { err } from "#core/values";
import { type ReadSession, ValueIndex, type ValueJudge, valueJudge } from "#governance/values";
import type { Event, EventInput, EventType } from "#log";
import { ChangedFiles, filesOf } from "../acceptance/changed-files.ts";
import { EvidenceFold } from "../acceptance/evidence-fold.ts";
import { ShownSources } from "../citations/shown-sources.ts";
import type { FlowResult } from "./execution-context.ts";
import type { SessionMiddleware } from "./layered-session.ts";
import type { OrderCost } from "./order-cost.ts";
import { RefusedActs } from "./refused-acts.ts";

/** What the runner tracks of a running session. */
export interface SessionTally {
  prompted: boolean;
  /** Whether a model, a tool, a program or a child order was called: from then on a failure is no longer a rejection. */
  acted: boolean;
  /** Of this order and of every order below it. */
  readonly cost: OrderCost;
  modelCalls: number;
  /** Calls that were made, by tool: these counts and the files are of this order and of every order below it. */
  readonly toolCalls: Map<string, number>;
  failedToolCalls: number;
  refusedToolCalls: number;
  /** What was tried outside the order. */
  readonly refusedActs: RefusedActs;
  readonly files: ChangedFiles;
  /** Of these the ones that landed turn by turn, where the order has no landing of its own. */
  readonly filesByTurn: ChangedFiles;
  /** Its landing, if it came to that. */
  landed?: EventPayloads["order.landed"];
  /** What the order did, for those who judge it. */
  readonly evidence: EvidenceFold;
  /** What it was shown through its tools: what its answer may cite. */
  readonly sources: ShownSources;
  readonly ledgerEntryIds: string[];
  /** The document that says that values are not judged; undefined where none says so. */
  valuesOff: string | undefined;
  /** Judges the values of its calls by where they come from. */
  readonly values: ValueJudge;
}

/** What an order did, as `delegation.ended` has it for the order above. */
export type Did = NonNullable<EventPayloads["delegation.ended"]["did"]>;

/** What the order and those below it did. Files of an order that did not land are not in the order above. */
export function didOf(tally: SessionTally): Did {
  const { landed, toolCalls, failedToolCalls, refusedToolCalls, modelCalls } = tally;
  return {
    files: landed ? [...filesOf(landed.outputs)] : [],
    ...(landed ? { landing_id: landed.landing_id } : {}),
    tool_calls: Object.fromEntries(toolCalls),
    counts: { failed_tool_calls: failedToolCalls, refused_tool_calls: refusedToolCalls, model_calls: modelCalls },
  };
}

/** What took effect, for the order's result; undefined where the order never began to act. */
export function effectsOf(tally: SessionTally): FlowResult["did"] {
  if (!tally.acted) return undefined;
  const { landing_id: _, files, ...did } = didOf(tally);
  return { ...did, files: tally.landed ? files : [...tally.filesByTurn.list()] };
}

/** Where a record is only counted, nothing of it is judged. */
const notRead: ReadSession = (session_id) =>
  Promise.resolve(err(domainError("NOT_FOUND", `${session_id} is not read here`)));

const acts: ReadonlySet<EventType> = new Set(["llm.request", "tool.invoke", "turn.started", "delegation.made"]);

/** Observes a session's events: tallies them for the result and passes each to `onEvent`. Events from before a stop come first. */
export function watchSession(
  {
    onEvent,
    readSession = notRead,
  }: { readonly onEvent?: ((event: Event) => void) | undefined; readonly readSession?: ReadSession },
  before: readonly Event[] = [],
): { readonly middleware: SessionMiddleware; readonly tally: SessionTally } {
  const spent = { input: 0, output: 0, usd: 0, estimated: false, unpriced: new Set<string>() };
  const origins = new ValueIndex();
  const tally: SessionTally = {
    prompted: false,
    acted: false,
    get cost(): OrderCost {
      const { input, output, usd, estimated, unpriced } = spent;
      return {
        tokens: tally.prompted ? { input, output, ...(estimated ? { estimated } : {}) } : null,
        usd,
        ...(unpriced.size > 0 ? { unpriced_models: [...unpriced] } : {}),
      };
    },
    modelCalls: 0,
    toolCalls: new Map<string, number>(),
    failedToolCalls: 0,
    refusedToolCalls: 0,
    refusedActs: new RefusedActs(),
    files: new ChangedFiles(),
    filesByTurn: new ChangedFiles(),
    evidence: new EvidenceFold(),
    sources: new ShownSources(),
    ledgerEntryIds: [] as string[],
    valuesOff: undefined,
    values: valueJudge(origins, readSession),
  };
  const models = new Map<string, string>();
  const see = (event: Event): void => {
    if (Object.hasOwn(ledgerRules, event.type)) tally.ledgerEntryIds.push(event.id);
    if (event.type === "llm.request") {
      tally.prompted = true;
      models.set(event.payload.request_id, event.payload.model);
    }
    if (acts.has(event.type)) tally.acted = true;
    if (event.type === "wo.started") {
      const { values } = event.payload.mandate ?? {};
      tally.valuesOff = values?.rights.pack === "off" ? values.document : undefined;
    }
    if (event.type === "llm.response") {
      const { usage, request_id } = event.payload;
      spent.input += usage.input_tokens;
      spent.output += usage.output_tokens;
      spent.usd += usage.cost_usd ?? 0;
      if (usage.estimated) spent.estimated = true;
      if (usage.cost_usd === undefined) spent.unpriced.add(models.get(request_id) ?? "a model");
    }
    if (event.type === "delegation.ended") {
      const { tokens_used, usd = 0, unpriced_models = [] } = event.payload;
      if (tokens_used) tally.prompted = true;
      spent.input += tokens_used?.input ?? 0;
      spent.output += tokens_used?.output ?? 0;
      spent.usd += usd;
      if (tokens_used?.estimated) spent.estimated = true;
      for (const model of unpriced_models) spent.unpriced.add(model);
    }
    tally.refusedActs.see(event);
    tally.evidence.see(event);
    tally.sources.see(event);
    origins.see(event);
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
  else if (event.type === "tool.refused") tally.refusedToolCalls += event.payload.code === "ACT_HELD" ? 0 : 1;
  else if (event.type === "order.landed") tally.landed = event.payload;
  else if (event.type === "turn.committed") {
    tally.files.add(event.payload.outputs);
    if (event.payload.landing !== "whole") tally.filesByTurn.add(event.payload.outputs);
  } else if (event.type === "delegation.ended" && event.payload.did) countBelow(tally, event.payload.did);
}

function countBelow(tally: SessionTally, { files, tool_calls, counts, landing_id }: Did): void {
  tally.files.add(files);
  if (landing_id === undefined) tally.filesByTurn.add(files);
  for (const [tool, calls] of Object.entries(tool_calls))
    tally.toolCalls.set(tool, (tally.toolCalls.get(tool) ?? 0) + calls);
  tally.failedToolCalls += counts.failed_tool_calls;
  tally.refusedToolCalls += counts.refused_tool_calls;
  tally.modelCalls += counts.model_calls;
}
