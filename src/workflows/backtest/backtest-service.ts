import type { BacktestReportV1, SchemaRegistry, ShadowReportV1 } from "#core/contracts";
import { type Programs, packageRoot } from "#core/machine";
import {
  type Clock,
  type JsonObject,
  jsonText,
  ok,
  type Result,
  type SessionId,
  sha256,
  TimeSlice,
} from "#core/values";
import type { ContractStore, HookHandler } from "#governance";
import type { ToolNature } from "#governance/values";
import type { Event, LogReader, SessionInfo } from "#log";
import type { Environment, WritConfig } from "#workspace";
import { type Cycle, type Policy } from "../definitions/cycle.ts";
import { type Workflows } from "../definitions/registry.ts";
import { pinnedWorkflows } from "../definitions/workspace-workflows.ts";
import { policyKinds } from "../policies/policy-kinds.ts";
import { backtestHook } from "./backtest-hook.ts";
import { backtestPolicy } from "./backtest-policy.ts";
import { backtestValues } from "./backtest-values.ts";
import { type Candidate, type CandidateName, candidateOfText, findCandidate } from "./candidate.ts";
import { PacedPolicy } from "./paced-policy.ts";
import { watchShadows } from "./watch-shadows.ts";

export interface BacktestSources {
  readonly root: string;
  readonly env: Environment;
  readonly reader: LogReader;
  readonly schemas: SchemaRegistry;
  readonly config: WritConfig;

  /** Starts the programs of hooks that are asked again. */
  readonly programs: Programs;
  readonly clock: Clock;
  /** The contracts that sessions began under, byte for byte. */
  readonly contractStore: ContractStore;
  /** Key of the input hashes; undefined for a caller who may read the record but not the key. */
  readonly key: string | undefined;
  readonly workflows: Workflows;
  /** Annotations of a tool that is registered here. */
  readonly annotationsOf: (tool: string) => JsonObject | undefined;
  readonly natureOf: (tool: string, args: JsonObject) => ToolNature;
  readonly redact: (text: string) => string;
}

/** Selects recorded sessions. */
export interface Past {
  /** Only these. */
  readonly sessions?: readonly string[];
  /** Only what began then or later; ISO 8601. */
  readonly since?: string;
  /** Only what ran this cycle. */
  readonly cycle?: string;
  readonly signal: AbortSignal;
  /** Time limit for evaluating the rules of a policy in all; without it there is no limit. */
  readonly mostMs?: number;
}

/** Evaluates rules over recorded sessions. It only reads: it calls no model and no tool. */
export interface BacktestService {
  find(name: CandidateName): Promise<Result<Candidate>>;
  ofText(text: string, file: string): Promise<Result<Candidate>>;
  backtest(candidate: Candidate, past: Past): Promise<Result<BacktestReportV1>>;
  /** Decisions of shadow policies, beside the decisions that took effect. */
  shadows(past: Past): Promise<Result<ShadowReportV1>>;
}

type Unjudged = BacktestReportV1["unjudged"][number];
type Corrupt = BacktestReportV1["corrupt"][number];

export function backtestService(sources: BacktestSources): BacktestService {
  const { root, env, config, programs, clock, schemas, workflows, redact } = sources;
  const drafts = { root, env, config, programs, clock, schemas, workflows, redact };
  return {
    find: (name) => findCandidate(drafts, name),
    ofText: (text, file) => candidateOfText(drafts, text, file),
    backtest: (candidate, past) =>
      candidate.kind === "policy"
        ? candidate.policy.kind === "value-rights"
          ? overValues(sources, candidate.policy, past)
          : overPolicy(sources, candidate.policy, past)
        : overHooks(sources, candidate.handlers, candidate.inForce, past),
    shadows: (past) => overShadows(sources, past),
  };
}

async function overPolicy(sources: BacktestSources, policy: Policy, past: Past): Promise<Result<BacktestReportV1>> {
  const tally = new Tally({
    kind: "policy",
    id: policy.id,
    file: policy.definition.file,
    hash: policy.definition.hash,
  });
  const { signal, mostMs = Number.POSITIVE_INFINITY } = past;
  const paced = new PacedPolicy(policy, new TimeSlice({ clock: sources.clock, signal, mostMs }));
  let isWhole = true;
  for await (const session of sessionsOf(sources, past, tally)) {
    const { session_id, events } = session;
    const started = events.find((event) => event.type === "workflow.started");
    if (!started || (past.cycle !== undefined && started.payload.cycle_id !== past.cycle)) continue;
    const cycle = await cycleOf(sources, started);
    const judged = cycle.ok ? await backtestPolicy(events, cycle.value, paced) : cycle;
    if (!judged.ok) {
      tally.unjudged.push({ session_id, seq: started.seq, why: judged.error.message });
      continue;
    }
    if (!judged.value) {
      isWhole = false;
      break;
    }
    tally.judged(judged.value.decisions);
    tally.different.push(...judged.value.different.map((each) => ({ session_id, ...each })));
    tally.outcomes.push(...judged.value.outcomes.map((each) => ({ session_id, ...each })));
  }
  return ok(tally.report(isWhole && !signal.aborted));
}

/** Every session with calls, whether its values were judged or not: what a pack would have asked about and refused. */
async function overValues(sources: BacktestSources, policy: Policy, past: Past): Promise<Result<BacktestReportV1>> {
  const { id, definition } = policy;
  const tally = new Tally({ kind: "policy", id, file: definition.file, hash: definition.hash });
  const { signal, mostMs = Number.POSITIVE_INFINITY, cycle } = past;
  const slice = new TimeSlice({ clock: sources.clock, signal, mostMs });
  const pack = policyKinds["value-rights"].packOf(policy);
  let isWhole = true;
  for await (const { session_id, events } of sessionsOf(sources, past, tally)) {
    const started = events.find((event) => event.type === "workflow.started");
    if (cycle !== undefined && started?.payload.cycle_id !== cycle) continue;
    const judged = await backtestValues(events, pack, {
      natureOf: sources.natureOf,
      reader: sources.reader,
      slice,
    });
    if (!judged.ok) {
      tally.unjudged.push({ session_id, seq: 1, why: judged.error.message });
      continue;
    }
    if (!judged.value) {
      isWhole = false;
      break;
    }
    if (judged.value.decisions === 0) continue;
    tally.judged(judged.value.decisions);
    tally.different.push(...judged.value.different.map((each) => ({ session_id, ...each })));
  }
  return ok(tally.report(isWhole && !signal.aborted));
}

async function overHooks(
  sources: BacktestSources,
  handlers: readonly HookHandler[],
  inForce: readonly HookHandler[],
  past: Past,
): Promise<Result<BacktestReportV1>> {
  const { root, schemas, clock, annotationsOf, key } = sources;
  const [first] = handlers;
  const tally = new Tally({
    kind: "hook",
    id: [...new Set(handlers.map(({ id }) => id))].join(", "),
    file: [...new Set(handlers.map(({ source }) => source))].join(", "),
    hash: first?.hash ?? sha256(""),
    points: [...new Set(handlers.map(({ point }) => point))],
  });
  for await (const { session_id, events } of sessionsOf(sources, past, tally)) {
    const started = events.find((event) => event.type === "workflow.started");
    if (past.cycle !== undefined && started?.payload.cycle_id !== past.cycle) continue;
    const cycle = started && (await cycleOf(sources, started));
    let asked = 0;
    for (const handler of handlers) {
      const earlier = inForce
        .filter((each) => each.point === handler.point && each.priority > handler.priority)
        .map(({ id }) => id);
      const judged = await backtestHook(events, {
        handler,
        earlier,
        sources: { annotationsOf, cycleHash: cycle?.ok ? cycle.value.hash : undefined },
        schemas,
        clock,
        root,
        key,
        signal: past.signal,
      });
      asked += judged.decisions;
      tally.different.push(...judged.different.map((each) => ({ session_id, ...each, unasked: [...each.unasked] })));
      tally.unjudged.push(...judged.unjudged.map((each) => ({ session_id, ...each })));
    }
    if (asked > 0) tally.judged(asked);
  }
  return ok(tally.report(!past.signal.aborted));
}

async function overShadows(sources: BacktestSources, past: Past): Promise<Result<ShadowReportV1>> {
  const tally = new Tally({ kind: "policy", id: "shadows", file: "", hash: sha256("") });
  const decisions: ShadowReportV1["decisions"] = [];
  for await (const { session_id, events } of sessionsOf(sources, past, tally)) {
    const found = watchShadows(events).filter(({ cycle_id }) => past.cycle === undefined || past.cycle === cycle_id);
    decisions.push(...found.map((each) => ({ session_id, ...each, real: [...each.real] })));
  }
  return ok(shadowReport(decisions, tally.read, tally.corrupt));
}

/** What shadows said, by policy and one by one. */
export function shadowReport(
  decisions: ShadowReportV1["decisions"],
  sessions: number,
  corrupt: ShadowReportV1["corrupt"],
): ShadowReportV1 {
  const policies = [...new Set(decisions.map(({ policy_id }) => policy_id))].map((policy_id) => {
    const said = decisions.filter((each) => each.policy_id === policy_id);
    const count = (change: "stricter" | "looser") => said.filter((each) => each.change === change).length;
    return { policy_id, decisions: said.length, stricter: count("stricter"), looser: count("looser") };
  });
  return { sessions, policies, decisions, corrupt, schema_version: "v1" };
}

/**
 * Sessions with all their events, oldest first, each line and each link verified while it is read. A session that does not
 * verify is reported and not judged.
 */
async function* sessionsOf(
  { reader }: BacktestSources,
  past: Past,
  tally: Tally,
): AsyncGenerator<{ readonly session_id: SessionId; readonly events: readonly Event[] }> {
  for (const { session_id } of await wantedOf(reader, past, tally)) {
    if (past.signal.aborted) return;
    const events: Event[] = [];
    let broken: Corrupt | undefined;
    for await (const batch of reader.readBatches(session_id)) {
      if (batch.ok) events.push(...batch.value);
      else broken = { session_id, code: batch.error.code, message: batch.error.message };
    }
    tally.read += 1;
    if (broken) tally.corrupt.push(broken);
    else yield { session_id, events };
  }
}

/** The selected sessions, by the time at which they began. */
async function wantedOf(reader: LogReader, past: Past, tally: Tally): Promise<readonly SessionInfo[]> {
  const wanted: SessionInfo[] = [];
  for await (const info of reader.list()) {
    if (past.signal.aborted) break;
    if (!info.ok) {
      tally.corrupt.push({
        session_id: jsonText(info.error.details["session_id"] ?? ""),
        code: info.error.code,
        message: info.error.message,
      });
      continue;
    }
    const { session_id, started_at } = info.value;
    if (past.sessions && !past.sessions.includes(session_id)) continue;
    if (past.since !== undefined && Date.parse(started_at) < Date.parse(past.since)) continue;
    wanted.push(info.value);
  }
  return wanted.sort((a, b) => {
    const [first, second] = [`${a.started_at} ${a.session_id}`, `${b.started_at} ${b.session_id}`];
    return first < second ? -1 : 1;
  });
}

/** The cycle as it was when the session began, from the stored contracts. */
async function cycleOf(
  { root, schemas, contractStore }: BacktestSources,
  { payload }: Event<"workflow.started">,
): Promise<Result<Cycle>> {
  const workflows = await pinnedWorkflows(payload.cycle_hash ?? "", {
    root,
    shipped: packageRoot,
    schemas,
    contractStore,
  });
  if (!workflows.ok) return workflows;
  const registry = await workflows.value.registry();
  return registry.ok ? registry.value.cycle(payload.cycle_id) : registry;
}

class Tally {
  read = 0;
  #sessions = 0;
  #decisions = 0;
  readonly different: BacktestReportV1["different"] = [];
  readonly outcomes: BacktestReportV1["outcomes"] = [];
  readonly unjudged: Unjudged[] = [];
  readonly corrupt: Corrupt[] = [];
  readonly #candidate: BacktestReportV1["candidate"];

  constructor(candidate: BacktestReportV1["candidate"]) {
    this.#candidate = candidate;
  }

  judged(decisions: number): void {
    this.#sessions += 1;
    this.#decisions += decisions;
  }

  report(complete: boolean): BacktestReportV1 {
    return {
      candidate: this.#candidate,
      sessions: { read: this.read, judged: this.#sessions },
      decisions: this.#decisions,
      different: this.different,
      outcomes: this.outcomes,
      unjudged: this.unjudged,
      corrupt: this.corrupt,
      complete,
      schema_version: "v1",
    };
  }
}
