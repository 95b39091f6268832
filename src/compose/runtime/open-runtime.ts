import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import {
  type Clock,
  createIds,
  domainError,
  err,
  type JsonObject,
  keyedSha256,
  messageOf,
  ok,
  type Random,
  type Result,
  type SessionId,
  sha256,
} from "#base";
import { createBudgeter, createRateLimiter } from "#budget";
import { type EventLog, type Verification, verifySession } from "#events";
import {
  createFlowRunner,
  createOrderBook,
  decomposeStrategy,
  explainOrder,
  type FlowDependencies,
  type FlowOptions,
  type FlowRequest,
  type FlowResult,
  type OrderExplanation,
  type StepStrategy,
} from "#flow";
import {
  authorizeOrder,
  type Caller,
  createKeyring,
  frameworkReader,
  type Keyring,
  localCaller,
  weighOrder,
} from "#governance";
import { createHooks, type Hooks } from "#hooks";
import { ledgerRules, loadRegistry, type SchemaRegistry, type WorkOrderV1 } from "#schemas";
import type { Skills } from "#skills";
import { openSharedStore } from "#store";
import type { ToolRegistry } from "#tools";
import { nodeFiles } from "../adapters/node-files.ts";
import { nodeProcesses } from "../adapters/node-processes.ts";
import { rememberingFiles } from "../adapters/remembering-files.ts";
import { type Environment, loadConfig } from "../config/load-config.ts";
import type { WritConfig } from "../config/writ-config.ts";
import { lawStore } from "../law/law-store.ts";
import type { GateDesk } from "../packages/gate-desk.ts";
import { openPackages, type Packages } from "../packages/open-packages.ts";
import { createApprovals, type ToolApprovals } from "../policy/tool-approvals.ts";
import { workspaceHooks } from "../policy/workspace-hooks.ts";
import { workspaceMcp } from "../policy/workspace-mcp.ts";
import { workspaceSkills } from "../policy/workspace-skills.ts";
import { workspaceTools } from "../policy/workspace-tools.ts";
import { workspaceSecrets } from "../secrets/workspace-secrets.ts";
import { checkAsTurn, execAsTurn } from "../turns/program-turns.ts";
import type { TurnDesk } from "../turns/turn-desk.ts";
import { hasUnfinishedTurns, turnDeskWhenAsked } from "../turns/turn-desk-when-asked.ts";
import { attentionOfWorkspace } from "./attention-of-workspace.ts";
import { callerOf } from "./caller-of-request.ts";
import { flowConfigOf } from "./flow-config.ts";
import { flowDispatch } from "./flow-dispatch.ts";
import { type ForkControl, forkControl } from "./fork-session.ts";
import { type HaltControl, haltControl } from "./halt-control.ts";
import { haltSwitch } from "./halt-switch.ts";
import { createIntake } from "./intake.ts";
import { keepingAttention } from "./keeping-attention.ts";
import { openLog } from "./open-log.ts";
import { packageRoot } from "./package-root.ts";
import { pinnedLaw } from "./pinned-law.ts";
import { recordAct } from "./record-act.ts";
import { rolePromptReader } from "./role-prompts.ts";
import { createRouters } from "./routers.ts";
import { type ControlSources, type SessionControl, sessionControl } from "./session-control.ts";
import { workspacePool } from "./workspace-pool.ts";
import { nextOrderId, type OrderWishes, writeToolOrder, writeWorkOrder } from "./write-work-order.ts";

export interface RuntimeOptions {
  /** The workspace, absolute. */
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Environment;
  readonly version: string;
  /** Strategies of one's own, by type of work order; used where `v2_features.multi_step_enabled`. */
  readonly strategies?: Readonly<Record<string, StepStrategy>>;
}

/** A workspace, wired. */
export interface Runtime extends SessionControl, ForkControl, HaltControl {
  readonly root: string;
  readonly config: WritConfig;
  readonly schemas: SchemaRegistry;
  readonly log: EventLog;
  readonly hooks: Hooks;
  readonly skills: Skills;
  readonly tools: ToolRegistry;
  /** What MCP servers offer, and what was approved of it. */
  readonly approvals: ToolApprovals;
  readonly packages: Packages;
  readonly gates: GateDesk;
  /** API keys: made, listed, taken back, recognised. */
  readonly keys: Keyring;
  /** Who acts when nobody else is named: the local user. */
  readonly caller: string;
  /** The same person with the rights that the workspace gives them. */
  localCaller(): Result<Caller>;
  writeWorkOrder(prompt: string, wishes?: OrderWishes): Promise<Result<WorkOrderV1>>;
  writeToolOrder(tool: string, args: JsonObject, allow?: readonly string[]): Result<WorkOrderV1>;
  /** What an order would be allowed, and by whom, without acting. */
  explainOrder(request: FlowRequest): Promise<Result<OrderExplanation>>;
  runFlow(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
  /** Proves a session from its bytes up. */
  verifySession(session_id: SessionId): Promise<Verification>;
  /** Where turns are ordered; opened when first asked for. */
  turnDesk(): Promise<Result<TurnDesk>>;
  close(): Promise<Result<void>>;
}

export async function openRuntime(options: RuntimeOptions): Promise<Result<Runtime>> {
  const { root, clock } = options;
  const loaded = await loadConfig(root, nodeFiles, options.env);
  if (!loaded.ok) return loaded;
  const config = loaded.value;
  const law = rememberingFiles(clock, packageRoot);
  const registered = await loadRegistry({ files: nodeFiles, root });
  if (!registered.ok) return registered;
  const schemas = registered.value;
  const key = await workspaceKey(root, config);
  if (!key.ok) return key;
  const ids = createIds(clock, options.random);
  const processes = nodeProcesses(clock);
  const secrets = await workspaceSecrets(config, { root, env: options.env, files: nodeFiles, processes });
  if (!secrets.ok) return secrets;
  const { redactor } = secrets.value;
  const redact = <T>(value: T): T => redactor.redactJson(value).value;

  const policies = await workspaceHooks({ root, config: config.hooks, env: options.env, clock, schemas, redact });
  if (!policies.ok) return policies;
  const hooks = createHooks({ handlers: policies.value.handlers, schemas, clock, key: key.value });
  const { random, env } = options;
  const opened = workspaceTools({
    schemas,
    clock,
    random,
    env,
    allow: config.tools.allow,
    runTurn: execAsTurn(() => turns.open()),
  });
  if (!opened.ok) return opened;
  const tools = opened.value;
  const skills = workspaceSkills(root, schemas, clock, law);

  const store = openSharedStore(storeFile(root, config), clock);
  if (!store.ok) return store;
  const mcp = await workspaceMcp({
    root,
    files: nodeFiles,
    config,
    env,
    secrets: secrets.value,
    clock,
    random,
    version: options.version,
    schemas,
    store: store.value,
    registry: tools,
  });
  if (!mcp.ok) return mcp;
  const openedLog = openLog({ root, config, schemas, redactor, clock, ids, store: store.value });
  if (!openedLog.ok) return openedLog;
  const { log, ready, stop } = openedLog.value;
  const intake = createIntake(log);
  const packages = await openPackages({ root, clock, random, config });
  if (!packages.ok) return packages;
  const gates = packages.value.gates(log);
  const turns = turnDeskWhenAsked({
    root,
    config,
    schemas,
    log,
    clock,
    random,
    caller: localUser(config),
    store: store.value,
    packageCapabilities: (package_id) => packages.value.desk.capabilitiesOf(package_id),
  });
  const budgeter = createBudgeter({
    ids,
    prices: config.prices,
    session: config.session_budget,
    pool: workspacePool(store.value, config, clock),
    rate: createRateLimiter(config.rate_limits, clock),
  });
  const routerFor = createRouters({
    root,
    config,
    schemas,
    clock,
    random,
    ids,
    budgeter,
    skills,
    secrets: secrets.value,
  });
  const caller = localUser(config);
  const keys = createKeyring({
    store: store.value,
    identity: config.identity,
    localCaller: caller,
    clock,
    random,
    record: (act) => recordAct(log, { name: "api-key", actor: act.actor }, [act]),
  });
  const resolveFramework = frameworkReader({ roots: [root, packageRoot], files: law, schemas });
  const attention = attentionOfWorkspace({
    root,
    shipped: packageRoot,
    files: nodeFiles,
    law,
    log,
    schemas,
    clock,
    key: key.value,
    config,
    redact,
    resolveFramework,
  });
  const kept = lawStore(root, options.random);
  const flowConfig = flowConfigOf(config);
  const flow: FlowDependencies = {
    log: {
      async create(wanted) {
        const created = await log.create(wanted);
        const settled = await ready();
        return settled.ok ? created : settled;
      },
    },
    schemas,
    hooks,
    budgeter,
    skills,
    clock,
    ids,
    intake,
    redact,
    attention: keepingAttention(attention.service, kept),
    config: flowConfig,
    strategies: { decompose: decomposeStrategy, ...options.strategies },
    nextOrderId: () => nextOrderId(store.value, clock),
    keyedHash: (text) => keyedSha256(key.value, text),
    resolveFramework: (framework_id) => gates.admit(() => resolveFramework(framework_id)),
    confirmGates: (framework) => gates.confirm(framework),
    authenticate: (request, recognised) => callerOf(request, recognised, caller, config.identity),
    authorize: (who, order, agent_class) =>
      authorizeOrder(order, agent_class, who, { identity: config.identity, keys: {}, clock }),
    orders: createOrderBook(store.value),
    halts: haltSwitch(store.value, clock),
    routerFor,
    toolOffers: (isAllowed) =>
      tools
        .list()
        .filter((tool) => isAllowed(tool.name))
        .map((tool) => ({ name: tool.name, description: tool.description, input_schema: tool.schema_in })),
    dispatch: flowDispatch({
      registry: tools,
      hooks,
      clock,
      ids,
      root,
      redactor,
      limits: { timeoutMs: config.limits.tool_timeout_seconds * 1000, maxOutputBytes: config.limits.tool_output_bytes },
    }),
    rolePrompt: rolePromptReader(law, [root, packageRoot]),
    pinned: pinnedLaw({
      root,
      shipped: packageRoot,
      files: law,
      schemas,
      config,
      flow: flowConfig,
      hooks,
      tools,
      skills,
      store: kept,
    }),
    runCheck: (command, context, signal, recorder) =>
      checkAsTurn(turns.open, {
        command,
        recorder,
        signal,
        timeoutMs: (context.work_order.budget?.timeout_seconds ?? config.limits.tool_timeout_seconds) * 1000,
      }),
  };
  if (hasUnfinishedTurns(root)) {
    const recovered = await turns.open();
    if (!recovered.ok) return recovered;
  }
  const runner = createFlowRunner(flow);
  const sources: ControlSources = {
    flow,
    log,
    ready,
    schemas,
    clock,
    root,
    shipped: packageRoot,
    store: kept,
    caller,
    recallCaller: keys.recall,
    attentionUnder: (pinned, framework) => keepingAttention(attention.under(pinned, framework), kept),
  };
  return ok({
    root,
    config,
    schemas,
    log,
    hooks,
    skills,
    tools,
    packages: packages.value,
    gates,
    keys,
    caller,
    localCaller: () => localCaller(caller, config.identity),
    ...sessionControl(sources),
    ...forkControl(sources),
    ...haltControl(store.value, log, caller),
    writeWorkOrder: (prompt, wishes = {}) => writeWorkOrder({ store: store.value, skills, clock }, prompt, wishes),
    runFlow: (request, flowOptions) => runner.run(request, flowOptions),
    writeToolOrder: (tool, args, allow = []) => writeToolOrder({ store: store.value, clock }, { tool, args, allow }),
    explainOrder: (request) =>
      explainOrder(
        flow,
        request,
        tools.list().map((tool) => tool.name),
        (who, order, agent_class) =>
          weighOrder(order, agent_class, who, { identity: config.identity, keys: {}, clock }),
      ),
    verifySession: (session_id) => verifySession(session_id, { reader: log, schemas, rules: ledgerRules }),
    turnDesk: () => turns.open(),
    approvals: createApprovals({ mcp: mcp.value, tools, schemas, log, store: store.value, clock, by: caller }),
    async close() {
      stop();
      await mcp.value.close();
      await turns.close();
      await attention.close();
      const refused = await intake.close();
      const shut = await log.shutdown();
      await policies.value.close();
      store.value.close();
      return refused.ok ? shut : refused;
    },
  });
}

function localUser(config: WritConfig): string {
  return config.identity.local_caller ?? `${userInfo().username}@local`;
}

/** What keyed hashes are keyed with: derived from the signing key, so that nobody without it can guess a prompt back. */
async function workspaceKey(root: string, config: WritConfig): Promise<Result<string>> {
  const file = join(root, config.signing.private_key);
  try {
    return ok(sha256(`writ keyed hashes\n${await readFile(file, "utf8")}`));
  } catch (thrown) {
    return err(
      domainError(
        "CONFIG_INVALID",
        `the workspace's signing key ${config.signing.private_key} cannot be read: ${messageOf(thrown)}`,
        { details: { hint: "writ init makes one" }, cause: thrown },
      ),
    );
  }
}

function storeFile(root: string, config: WritConfig): string {
  const file = config.store.replace(/^sqlite:/, "");
  return isAbsolute(file) ? file : join(root, file);
}
