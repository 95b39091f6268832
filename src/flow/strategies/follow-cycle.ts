import type { AgentContext } from "#agents";
import type { AssembledContext } from "#attention";
import { domainError, err, isJsonObject, type JsonObject, ok, type Result } from "#base";
import { decideRight, type Grant } from "#governance";
import { type AgentTask, type CycleEnd, type PersonaRights, runCycle } from "#workflows";
import { askingAtGate } from "../ask-at-gate.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { FlowDependencies, FlowState, StrategyOutcome } from "../flow.ts";
import { startChildren } from "../start-children.ts";

export interface CycleFlow {
  readonly deps: FlowDependencies;
  readonly state: FlowState;
  readonly context: ExecutionContext;
  readonly assembled: AssembledContext;
  /** The order's own agents and rights; a persona has these and narrower ones. */
  readonly agents: AgentContext;
  readonly toolGrants: readonly Grant[];
  readonly writeGrants: readonly Grant[];
}

/** A cycle as a strategy: L8 runs it, and gets from here what it may use of this flow. */
export async function followCycle(flow: CycleFlow, cycle_id: string): Promise<Result<StrategyOutcome>> {
  const { deps, state, context } = flow;
  const { work_order } = context;
  const registry = await deps.workflows.registry();
  if (!registry.ok) return registry;
  const cycle = registry.value.cycle(cycle_id);
  if (!cycle.ok) return cycle;
  const ended = await runCycle({
    cycle: cycle.value,
    mode: work_order.mode ?? cycle.value.definition.data.mode ?? "interactive",
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
    keepLaw: (kept) => deps.workflows.keep(kept),
    agentsOf: (rights) => agentsOf(flow, rights),
    writeArtifact: (write) => writeArtifact(flow, write),
    askPerson: (question) => deps.askPerson(question, { caller_id: context.caller_id, session: state.session }),
    ...askingAtGate(deps, state, context),
    startAgent: (task) => startAgent(flow, task),
  });
  return ended.ok ? ok(outcomeOf(ended.value)) : ended;
}

/** Agents that speak as a persona: every source of rights that the order has, and the persona's own besides. */
function agentsOf({ deps, state, context, agents, ...flow }: CycleFlow, rights: PersonaRights): AgentContext {
  const toolGrants = [...flow.toolGrants, rights.tools];
  const writeGrants = [...flow.writeGrants, ...rights.writes];
  return {
    ...withoutCycles(agents),
    persona: rights.persona,
    author: { ...agents.author, agent_id: rights.agent_id },
    budget: rights.budget,
    tools: deps.toolOffers((name) => decideRight(name, toolGrants).allowed),
    dispatch: async (call, role) => {
      const answer = await deps.dispatch(call, {
        role,
        skill: agents.skill?.id ?? null,
        work_order_id: context.work_order.work_order_id,
        caller_id: context.caller_id,
        toolGrants,
        writeGrants,
        recorder: state.session,
        signal: state.signal,
      });
      if (answer.ok && answer.value.trust === "untrusted") rights.onUntrusted();
      return answer;
    },
  };
}

/** Personas do not begin cycles of their own. */
function withoutCycles({ followCycle: _, ...agents }: AgentContext): AgentContext {
  return agents;
}

/** An artifact is written by the protected write like any file: through dispatch, its gates and its claim. */
async function writeArtifact(
  { deps, state, context, toolGrants, writeGrants }: CycleFlow,
  write: {
    readonly call_id: string;
    readonly path: string;
    readonly content: string;
    readonly expected_hash: string;
    readonly why: string;
  },
): Promise<Result<{ readonly hash: string }>> {
  const { call_id, ...args } = write;
  const written = await deps.dispatch(
    { id: call_id, name: "fs.write", args },
    {
      role: "workflow",
      skill: null,
      work_order_id: context.work_order.work_order_id,
      caller_id: context.caller_id,
      toolGrants,
      writeGrants,
      recorder: state.session,
      signal: state.signal,
    },
  );
  if (!written.ok) return written;
  const { content, isError, error } = written.value;
  const hash = isJsonObject(content) ? content["hash"] : undefined;
  if (!isError && typeof hash === "string") return ok({ hash });
  return err(
    domainError(
      "TOOL_ERROR",
      `${write.path} was not written: ${error ? `${error.code}: ${error.message}` : "fs.write did not say what it wrote"}`,
    ),
  );
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
  };
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
