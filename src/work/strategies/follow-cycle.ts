import type { AgentContext, AssembledContext } from "#agents";
import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, ok, type Result } from "#core/values";
import type { Grant } from "#governance";
import type { Narrowing } from "#governance/mandate";
import { askIn } from "#people";
import { type AgentTask, type CycleEnd, type FixWrite, type PersonaRights, runCycle } from "#workflows";
import { startChildren } from "../delegation/start-children.ts";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow/flow.ts";
import { holdingActs } from "./held-acts.ts";

export interface CycleFlow {
  readonly deps: FlowDependencies;
  readonly state: FlowState;
  readonly context: ExecutionContext;
  readonly assembled: AssembledContext;
  /** The order's own agents and rights; a persona has these and narrower ones. */
  readonly agents: AgentContext;
}

/** A cycle as a strategy: L8 runs it, and gets from here what it may use of this flow. */
export async function followCycle(flow: CycleFlow, cycle_id: string): Promise<Result<StrategyOutcome>> {
  const { deps, state, context } = flow;
  const { work_order } = context;
  const registry = await deps.workflows.registry();
  if (!registry.ok) return registry;
  const cycle = registry.value.cycle(cycle_id);
  if (!cycle.ok) return cycle;
  const mode = work_order.mode ?? cycle.value.definition.data.mode ?? "interactive";
  const ended = await runCycle({
    cycle: cycle.value,
    mode,
    input: isJsonObject(work_order.input) ? (work_order.input as JsonObject) : {},
    prompt: state.prompt,
    provenance: {
      work_order_id: work_order.work_order_id,
      framework_id: context.framework_id,
      agent_class: context.agent_class,
      caller_id: context.caller_id,
      dev_mode: context.dev_mode,
    },
    context: trustOf(flow.assembled),
    recorder: state.session,
    hooks: deps.hooks,
    schemas: deps.schemas,
    clock: deps.clock,
    ids: deps.ids,
    signal: state.signal,
    budgeter: deps.budgeter,
    budget: context.budget_scope,
    newAgentId: () => deps.ids.agentId(context.framework_id, work_order.work_order_id),
    keepDefinitions: (kept) => deps.workflows.keep(kept),
    agentsOf: (rights) => agentsOf(flow, rights, mode),
    writeArtifact: (write) => writeArtifact(flow, write),
    applyFix: (fix) => applyFix(flow, fix),
    ask: askIn(deps.inbox, context.caller_id, state.session),
    startAgent: (task) => startAgent(flow, task),
  });
  return ended.ok ? ok(outcomeOf(ended.value)) : ended;
}

/** Agents that speak as a persona: every source of rights that the order has, and the persona's own besides. */
function agentsOf(
  { deps, state, context, agents }: CycleFlow,
  rights: PersonaRights,
  mode: NonNullable<WorkOrder["mode"]>,
): AgentContext {
  const mandate = context.mandate.narrowed({ tools: [sourceOf(rights.tools)], write: rights.writes.map(sourceOf) });
  const holding = holdingActs(deps, state, { ...context, mode }, deps.dispatch);
  return {
    ...withoutCycles(agents),
    persona: rights.persona,
    author: { ...agents.author, agent_id: rights.agent_id },
    budget: rights.budget,
    tools: deps.toolOffers((tool) => mandate.decide({ kind: "tool", tool }).allowed),
    decideHeld: holding.decide,
    dispatch: async (call, role) => {
      const answer = await holding.dispatch(call, {
        role,
        skill: agents.skill?.id ?? null,
        persona: rights.persona,
        work_order_id: context.work_order.work_order_id,
        caller_id: context.caller_id,
        mandate,
        charges: context.charges,
        values: state.tally.values,
        recorder: state.session,
        signal: state.signal,
      });
      if (answer.ok && answer.value.trust === "untrusted") rights.onUntrusted();
      return answer;
    },
  };
}

/** Rights that a persona or a policy names, as a source that has to agree. */
function sourceOf({ source, patterns = [] }: Grant): NonNullable<Narrowing["tools"]>[number] {
  return { document: source, lists: [{ path: "", patterns }] };
}

/** Personas do not begin cycles of their own. */
function withoutCycles({ followCycle: _, ...agents }: AgentContext): AgentContext {
  return agents;
}

/** The cycle's own calls go through dispatch like any other: its gates, its claim, and every source of rights. */
async function callAsCycle(
  { deps, state, context }: CycleFlow,
  call: { readonly id: string; readonly name: string; readonly args: JsonObject },
  writes: readonly Grant[] = [],
): Promise<Result<JsonObject>> {
  const answer = await deps.dispatch(call, {
    role: "workflow",
    skill: null,
    work_order_id: context.work_order.work_order_id,
    caller_id: context.caller_id,
    mandate: writes.length === 0 ? context.mandate : context.mandate.narrowed({ write: writes.map(sourceOf) }),
    charges: context.charges,
    values: state.tally.values,
    recorder: state.session,
    signal: state.signal,
  });
  if (!answer.ok) return answer;
  const { content, isError, error } = answer.value;
  if (!isError && isJsonObject(content)) return ok(content);
  const why = error ? `${error.code}: ${error.message}` : `${call.name} did not say what it did`;
  return err(domainError("TOOL_ERROR", why));
}

/** An artifact is written by the protected write like any file. */
async function writeArtifact(
  flow: CycleFlow,
  write: {
    readonly call_id: string;
    readonly path: string;
    readonly content: string;
    readonly expected_hash: string;
    readonly why: string;
  },
): Promise<Result<{ readonly hash: string }>> {
  const { call_id, ...args } = write;
  const written = await callAsCycle(flow, { id: call_id, name: "fs.write", args });
  const hash = written.ok ? written.value["hash"] : undefined;
  if (typeof hash === "string") return ok({ hash });
  if (!written.ok && written.error.code !== "TOOL_ERROR") return written;
  const why = written.ok ? "fs.write did not say what it wrote" : written.error.message;
  return err(domainError("TOOL_ERROR", `${write.path} was not written: ${why}`));
}

/** Reads the file, replaces what stands there exactly once, and writes it if it is unchanged since then. */
async function applyFix(
  flow: CycleFlow,
  { call_id, file, find, replace, why, writes }: FixWrite,
): Promise<Result<{ readonly before: string; readonly after: string }>> {
  const read = await callAsCycle(flow, { id: `${call_id}.read`, name: "fs.read", args: { path: file } });
  if (!read.ok) return read;
  const { content, hash, truncated, binary } = read.value;
  if (typeof content !== "string" || typeof hash !== "string" || truncated === true || binary === true)
    return err(domainError("TOOL_ERROR", `${file} is too big to be mended, or no text`));
  const [before, ...after] = content.split(find);
  if (before === undefined || after.length !== 1)
    return err(
      domainError("TOOL_ERROR", `what the fix replaces stands ${after.length} times in ${file}, and has to stand once`),
    );
  const args = { path: file, content: `${before}${replace}${after[0]}`, expected_hash: hash, why };
  const written = await callAsCycle(flow, { id: `${call_id}.write`, name: "fs.write", args }, writes);
  if (!written.ok) return written;
  const next = written.value["hash"];
  return typeof next === "string"
    ? ok({ before: hash, after: next })
    : err(domainError("TOOL_ERROR", `fs.write did not say what it wrote to ${file}`));
}

async function startAgent(
  { deps, state, context }: CycleFlow,
  task: AgentTask,
): Promise<Result<{ readonly response: string }>> {
  const ended = await startChildren(deps, state, context, [task]);
  if (!ended.ok) return ended;
  const [result] = ended.value;
  if (result?.status === "success") return ok({ response: result.response ?? "" });
  return err(
    domainError(
      "TOOL_ERROR",
      `the agent under ${result?.work_order_id} did not succeed: ${result?.error ?? "it says not why"}`,
    ),
  );
}

function trustOf({ fragments }: AssembledContext): JsonObject {
  const untrusted = fragments.filter(({ trust }) => trust === "untrusted").length;
  return {
    trust: untrusted > 0 ? "untrusted" : "trusted",
    untrusted,
    fragments: fragments.length,
    origins: [...new Set(fragments.map(({ origin }) => origin))].toSorted(),
    sources: sourcesOf(fragments),
  };
}

/** Every judgement records its sources, so the list is cut at 32; untrusted sources come first. */
const mostSources = 32;

function sourcesOf(fragments: AssembledContext["fragments"]): JsonObject[] {
  const sources = new Map<string, { readonly origin: string; readonly kind: string; readonly trust: string }>();
  for (const { origin, trust } of fragments)
    if (trust === "untrusted" || !sources.has(origin))
      sources.set(origin, { origin, kind: origin.split(":", 1)[0] ?? "", trust });
  const rank = (origin: string, trust: string) => `${trust === "untrusted" ? 0 : 1} ${origin}`;
  return [...sources.values()]
    .toSorted((a, b) => (rank(a.origin, a.trust) < rank(b.origin, b.trust) ? -1 : 1))
    .slice(0, mostSources);
}

/** What the order is answered with: what the cycle made last, and its verdict. */
function outcomeOf(end: CycleEnd): StrategyOutcome {
  const { cycle_id, verdict, phases_visited, reason, outputs, aggregate, artifacts, error } = end;
  return {
    response: JSON.stringify({
      cycle_id,
      verdict,
      phases_visited,
      reason,
      outputs,
      review_aggregate: aggregate,
      artifacts,
    }),
    verdict,
    error,
  };
}
