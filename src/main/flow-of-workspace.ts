import {
  attentionOfWorkspace,
  type Budgeter,
  createBudgeter,
  createRateLimiter,
  createRouters,
  keepingAttention,
  rolePromptReader,
  type WorkspaceAttention,
  workspacePool,
} from "#agents";
import { nodeFiles, packageRoot } from "#core/machine";
import { coalesce, keyedSha256 } from "#core/values";
import { checkAsTurn, missingTools, toolsInForce } from "#effects";
import { frameworkReader, type LawStore, openContractStore, postgresContractBlobs } from "#governance";
import type { WhoAsks } from "#work";
import {
  createOrderBook,
  decomposeStrategy,
  type FlowDependencies,
  flowConfigOf,
  flowDispatch,
  haltSwitch,
  nextOrderId,
  pinnedContracts,
  type StepStrategy,
} from "#work";
import type { Workflows } from "#workflows";
import { keepingWorkflows, workspaceWorkflows } from "#workflows";
import type { WritConfig } from "#workspace";
import type { Foundations } from "./foundations.ts";
import type { Desks } from "./open-desks.ts";
import type { Instruments } from "./open-instruments.ts";
import { eventKinds } from "./tables/events.ts";

export interface WorkspaceFlow {
  readonly flow: FlowDependencies;
  readonly workflows: Workflows;
  readonly attention: WorkspaceAttention;
  /** The bytes of every law a session began under. */
  readonly contractStore: LawStore;
}

/** Everything a flow of this workspace composes, wired. */
export function flowOfWorkspace(parts: {
  readonly base: Foundations;
  readonly desks: Desks;
  readonly instruments: Instruments;
  readonly who: WhoAsks;
  readonly strategies: Readonly<Record<string, StepStrategy>>;
}): WorkspaceFlow {
  const { base, desks, who } = parts;
  const { root, config, schemas, clock, random, ids, store, law, key, redact, secrets } = base;
  const { hooks, tools, skills } = parts.instruments;
  const { log, gates } = desks;
  const roots = [root, packageRoot];

  const budgeter = budgeterOf(base);
  const resolveFramework = frameworkReader({ roots, files: law, schemas });
  const attention = attentionOfWorkspace({
    root,
    shipped: packageRoot,
    files: nodeFiles,
    law,
    log,
    schemas,
    clock,
    random,
    key,
    config,
    redact,
    resolveFramework,
  });
  const contractStore = openContractStore(root, random, base.postgres && postgresContractBlobs(base.postgres));
  const flowConfig = flowConfigOf(config);
  const workflows = workspaceWorkflows(root, schemas, law);

  const flow: FlowDependencies = {
    log: { create: (wanted) => createReady(desks, wanted) },
    schemas,
    eventKinds,
    hooks,
    budgeter,
    skills,
    clock,
    ids,
    intake: desks.intake,
    redact,
    attention: keepingAttention(attention.service, contractStore),
    config: flowConfig,
    strategies: { decompose: decomposeStrategy, ...parts.strategies },
    nextOrderId: () => nextOrderId(store, clock),
    keyedHash: (text) => keyedSha256(key, text),
    resolveFramework: coalesce((framework_id) => gates.admit(() => resolveFramework(framework_id))),
    confirmGates: (framework) => gates.confirm(framework),
    authenticate: who.authenticate,
    authorize: who.authorize,
    orders: createOrderBook(store),
    halts: haltSwitch(store, clock),
    workflows: keepingWorkflows(workflows, { root, shipped: packageRoot }, contractStore),
    inbox: desks.inbox,
    routerFor: createRouters({ root, config, schemas, clock, random, ids, budgeter, skills, secrets }),
    ...toolsOf(base, desks, parts.instruments),
    rolePrompt: rolePromptReader(law, roots),
    pinned: coalesce(
      pinnedContracts({
        root,
        shipped: packageRoot,
        files: law,
        schemas,
        config,
        flow: flowConfig,
        hooks,
        tools,
        skills,
        contractStore,
      }),
    ),
    ...turnsOf(desks, config),
  };
  return { flow, workflows, attention, contractStore };
}

function budgeterOf({ ids, config, store, clock }: Foundations): Budgeter {
  return createBudgeter({
    ids,
    prices: config.prices,
    session: config.session_budget,
    pool: workspacePool(store, config, clock),
    rate: createRateLimiter(config.rate_limits, clock, (limits, ask) => store.takeRate("workspace", limits, ask)),
  });
}

/** How a flow reaches tools. */
function toolsOf(
  { config, clock, ids, root, redactor }: Foundations,
  { log, inbox }: Desks,
  { tools, hooks, mcp }: Instruments,
): Pick<FlowDependencies, "toolOffers" | "missingTools" | "dispatch"> {
  return {
    toolOffers: (isAllowed) =>
      tools
        .list()
        .filter((tool) => isAllowed(tool.name))
        .map((tool) => ({ name: tool.name, description: tool.description, input_schema: tool.schema_in })),
    missingTools: (wanted) => missingTools(wanted, tools),
    dispatch: flowDispatch({
      registry: tools,
      hooks,
      clock,
      ids,
      root,
      redactor,
      inbox,
      isInForce: toolsInForce(log, (name) => mcp.isAdopted(name)),
      limits: { timeoutMs: config.limits.tool_timeout_seconds * 1000, maxOutputBytes: config.limits.tool_output_bytes },
    }),
  };
}

/** How a flow runs programs: as turns, also those of its acceptance. */
function turnsOf({ ordered, turns }: Desks, { limits }: WritConfig): Pick<FlowDependencies, "runTurn" | "runCheck"> {
  return {
    runTurn: ordered.runTurn,
    runCheck: (command, context, signal, recorder) =>
      checkAsTurn(turns.open, {
        command,
        recorder,
        signal,
        timeoutMs: (context.work_order.budget?.timeout_seconds ?? limits.tool_timeout_seconds) * 1000,
      }),
  };
}

/** A new session waits until the budgets of dead ones are settled: what those hold counts. */
async function createReady(
  desks: Desks,
  wanted: Parameters<FlowDependencies["log"]["create"]>[0],
): ReturnType<FlowDependencies["log"]["create"]> {
  const created = await desks.log.create(wanted);
  const settled = await desks.ready();
  return settled.ok ? created : settled;
}
