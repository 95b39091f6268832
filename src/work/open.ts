import { keepingAttention } from "#agents";
import { ledgerRules, type TurnRequestV1, type TurnResultV1, type WorkOrder } from "#core/contracts";
import { nodeFiles, packageRoot } from "#core/machine";
import { type Caller, type DisposalStack, type JsonObject, ok, type Result, type SessionId } from "#core/values";
import {
  answeringInbox,
  answeringTurnService,
  changedToolParts,
  collectQuarantined,
  quarantineParts,
  type ToolApprovals,
  type TurnService,
  toolDrift,
} from "#effects";
import type { Framework } from "#governance";
import { sessionAudits } from "#governance/values";
import { type ApprovalKinds, createDecisions, type Decisions } from "#people";
import { readingOthers, type Verification, verifySession } from "#proof";
import { unstatedUsdLimit } from "#workspace";
import type { FlowResult } from "./flow/execution-context.ts";
import { explainOrder as explain, type OrderExplanation } from "./flow/explain-order.ts";
import type { FlowDependencies, FlowOptions, FlowRequest } from "./flow/flow.ts";
import { flowDependencies } from "./flow/flow-dependencies.ts";
import type { FlowParts } from "./flow/flow-parts.ts";
import { ObserveFlows, type SessionObserver } from "./flow/observe-flows.ts";
import { artifactReader } from "./flow/read-artifact.ts";
import { createFlowRunner } from "./flow/run-flow.ts";
import { type IssuedToken, issueToken, type TokenRequest } from "./foreign/issue-token.ts";
import { type HaltControl, haltControl } from "./halts/halt-control.ts";
import { type ModelSession, type ModelSessionOptions, openModelSession } from "./model-calls/open-model-session.ts";
import { type AttachedFile, type Attachment, keepAttachments as keepFiles } from "./orders/attachments.ts";
import { callerResolver } from "./orders/caller-resolver.ts";
import { hookOrders } from "./orders/hook-orders.ts";
import { createIntake } from "./orders/intake.ts";
import { type KeyedOrders, keyedOrders } from "./orders/keyed-orders.ts";
import { type OrderWords, orderInputOf } from "./orders/order-words.ts";
import { type HowToExec, orderedTurns, type TurnExplanation } from "./orders/ordered-turns.ts";
import { kindOfPath, type NumberedSuggestion, suggestOrder } from "./orders/suggest-order.ts";
import { type CycleOrderInput, writeCycleOrder } from "./orders/write-cycle-order.ts";
import { numberOrder } from "./orders/write-order.ts";
import {
  type Allowed,
  nextOrderId,
  type OrderInput,
  writeToolOrder,
  writeWorkOrder,
} from "./orders/write-work-order.ts";
import { finishResolved, inDoubtParts } from "./replay/finish-resolved.ts";
import { type ForkControl, forkControl } from "./replay/fork-session.ts";
import { type ControlSources, type SessionControl, sessionControl } from "./replay/session-control.ts";
import { HandDowns } from "./strategies/hand-downs.ts";
import { openThreads } from "./threads/open-threads.ts";
import type { Thread, Threads } from "./threads/threads.ts";

/** One work order to one result, and everything that can be asked of it. */
export interface WorkParts extends SessionControl, ForkControl, HaltControl, KeyedOrders {
  /** The inbox with what follows from its decisions. */
  readonly decisions: Decisions;
  /** The same for a server, which resumes sessions whose question was decided. */
  decisionsThat(resume: (session_id: string) => void): Decisions;
  /** What MCP servers offer; approving a tool also answers the question about it. */
  readonly approvals: ToolApprovals;
  /** A number of the day that no other process gets. */
  nextOrderId(): Promise<Result<string>>;
  /** The person at this machine with the rights that the workspace gives them. */
  localCaller(): Result<Caller>;
  writeWorkOrder(prompt: string, wanted?: OrderInput): Promise<Result<WorkOrder>>;
  /** The narrowest order for a request, from its words and from names alone. */
  suggestOrder(prompt: string, framework?: string): Promise<Result<NumberedSuggestion>>;
  writeToolOrder(tool: string, args: JsonObject, allowed?: Allowed): Promise<Result<WorkOrder>>;
  writeCycleOrder(cycle_id: string, wanted?: CycleOrderInput): Promise<Result<WorkOrder>>;
  /** Conversations with an agent. */
  readonly threads: Threads;
  /** A new conversation, whose messages may do what `order` says. Nothing is written before its first message. */
  thread(how?: { readonly order?: OrderWords }): Thread;
  /** Model calls that a program makes and acts on itself, under one order. */
  modelSession(how?: ModelSessionOptions): ModelSession;
  /** A token for a program that Writ did not make. */
  issueToken(asked: TokenRequest): Promise<Result<IssuedToken>>;
  /** Keeps files by their content, for an order that names them. */
  keepAttachments(files: readonly AttachedFile[]): Promise<Result<readonly Attachment[]>>;
  /** What an order would be allowed, and by which right, without acting. */
  explainOrder(request: FlowRequest): Promise<Result<OrderExplanation>>;
  runFlow(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
  /** Proves a session from its bytes up. */
  verifySession(session_id: SessionId): Promise<Verification>;
  /** One turn from its file, under a work order that is written for it. */
  execTurn(document: unknown, how: { readonly dev: boolean; readonly signal?: AbortSignal }): Promise<TurnResultV1>;
  /** The same with a function of this process as its code. */
  executeTurn(
    request: TurnRequestV1,
    handler: NonNullable<HowToExec["handler"]>,
    how?: { readonly dev?: boolean; readonly signal?: AbortSignal },
  ): Promise<TurnResultV1>;
  /** What a turn would be allowed, and by which rule, without running it. */
  explainTurn(document: unknown, how?: { readonly dev?: boolean }): Promise<Result<TurnExplanation>>;
  /** Where turns run and quarantine is decided; opened with its first use. */
  turnService(): Promise<Result<TurnService>>;
}

export interface WorkNeeds extends FlowParts {
  readonly approvalKinds: ApprovalKinds<DecisionParts>;
  readonly telemetry: SessionObserver | undefined;
}

/** What the consequences of decisions act with. */
export type DecisionParts = ReturnType<typeof inDoubtParts> &
  ReturnType<typeof changedToolParts> &
  ReturnType<typeof quarantineParts>;

export async function openWork(needs: WorkNeeds, stack: DisposalStack): Promise<Result<WorkParts>> {
  const { root, config, schemas, clock, store, caller, log, ready, inbox, keys, tools, skills, turns } = needs;
  const { contractStore, workflows, attention } = needs;
  const intake = createIntake(log);
  stack.defer(() => intake.close());
  const defaultBudget = { ...config.budget, usd_limit: config.budget.usd_limit ?? unstatedUsdLimit };
  const who = callerResolver({ identity: config.identity, local: caller, clock, defaultBudget });
  const numbers = { clock, nextOrderId: () => nextOrderId(store, clock) };
  const asked = { ...numbers, request: config.request };
  const ordered = orderedTurns({
    root,
    config,
    schemas,
    seals: needs.seals,
    redact: needs.redact,
    store,
    log,
    clock,
    openTurns: turns.open,
    nextOrderId: numbers.nextOrderId,
    packageCapabilities: (package_id) => needs.packages.installer.capabilitiesOf(package_id),
  });
  const handDowns = new HandDowns();
  needs.agentPorts.bind({
    loadSkill: needs.loadSkill,
    readArtifact: artifactReader(log),
    handDown: (session_id, tasks, signal) => handDowns.handDown(session_id, tasks, signal),
  });
  attention.bindServed({ read: (asked, mandate, signal) => needs.mcp.readServed(asked, mandate, signal) });
  const flow: FlowDependencies = flowDependencies({ ...needs, who, intake, ordered, handDowns });
  const sources: ControlSources = {
    flow,
    log,
    ready,
    schemas,
    clock,
    root,
    shipped: packageRoot,
    tools,
    toolDrift: toolDrift(needs.mcp),
    contractStore,
    caller,
    localCaller: who.localCaller,
    inbox,
    restoreCaller: keys.restoreCaller,
    attentionUnder: (pinned, framework) => keepingAttention(attention.under(pinned, framework), contractStore),
  };
  const { telemetry, toolApprovals } = needs;
  const observe = new ObserveFlows({ inbox, tools: toolApprovals, telemetry, log, freshen: needs.mcp.adopt });
  const runner = observe.runner(createFlowRunner(flow));
  const control = observe.control(sessionControl(sources));
  const decisionSources = { log, root, inbox, turnService: turns.open, tools: toolApprovals, caller };
  const decisionsThat: WorkParts["decisionsThat"] = (resume) =>
    createDecisions({
      inbox,
      kinds: needs.approvalKinds,
      foresee: needs.foresee,
      parts: { ...inDoubtParts(log), ...changedToolParts(decisionSources), ...quarantineParts(turns.open) },
      async collect() {
        const finished = await finishResolved(decisionSources);
        return finished.ok ? collectQuarantined(decisionSources) : finished;
      },
      resumeSession: resume,
    });
  const ofHooks = hookOrders({ ...numbers, config, ids: needs.ids, log, caller, runFlow: runner.run });
  needs.hookOrders.bind(ofHooks);
  stack.defer(() => ofHooks.close());
  const keyed = keyedOrders({ ...sources, ...numbers, runner }, control);
  const writeRequest: WorkParts["writeWorkOrder"] = (prompt, wanted = {}) =>
    writeWorkOrder(
      { ...asked, skills, resolveFramework: needs.resolveFramework, isTrusted: needs.isTrusted },
      prompt,
      wanted,
    );
  const keepAttachments: WorkParts["keepAttachments"] = (files) => keepFiles(needs, files);
  const threads = openThreads({
    ...control,
    resumeOrder: keyed.resumeOrder,
    store,
    log,
    inbox,
    clock,
    ids: needs.ids,
    seals: needs.seals,
    caller,
    restoreCaller: keys.restoreCaller,
    history: flow.threads.history,
    nextOrderId: numbers.nextOrderId,
    keepAttachments,
    writeWorkOrder: writeRequest,
    runFlow: (request, options = {}) => runner.run(request, options),
  });
  const explainOrder: WorkParts["explainOrder"] = (request) =>
    explain(flow, request, {
      knownTools: tools.list().map((tool) => tool.name),
      weigh: who.weigh,
      orders: store,
      log,
    });
  return ok({
    threads,
    thread: ({ order } = {}) => threads.begin(order && orderInputOf(order)),
    modelSession: (how) =>
      openModelSession(
        { caller, writeWorkOrder: writeRequest, runFlow: (request, options) => runner.run(request, options) },
        how,
      ),
    keepAttachments,
    decisions: decisionsThat(() => undefined),
    decisionsThat,
    approvals: answeringInbox(decisionSources, who.localCaller),
    nextOrderId: numbers.nextOrderId,
    localCaller: who.localCaller,
    ...control,
    ...keyed,
    ...observe.forks(forkControl(sources)),
    ...haltControl({ store, log, caller, localCaller: who.localCaller }),
    writeWorkOrder: writeRequest,
    async suggestOrder(prompt, framework_id) {
      const framework = framework_id === undefined ? undefined : await needs.resolveFramework(framework_id);
      if (framework?.ok === false) return framework;
      const discovered = await skills.discover();
      if (!discovered.ok) return discovered;
      const suggested = await suggestOrder(prompt, {
        skills: discovered.value.skills,
        tools: tools.list().map((tool) => tool.name),
        kindOf: kindOfPath(root, nodeFiles),
        ...(framework ? { under: namesOf(framework.value) } : {}),
      });
      const order = await numberOrder(suggested.order, numbers);
      return order.ok ? ok({ ...suggested, order: order.value }) : order;
    },
    writeToolOrder: (tool, args, allowed = {}) => writeToolOrder(asked, { tool, args, ...allowed }),
    writeCycleOrder: (cycle_id, wanted = {}) => writeCycleOrder({ ...numbers, workflows }, cycle_id, wanted),
    runFlow: (request, options = {}) => runner.run(request, options),
    explainOrder,
    issueToken: (asked) =>
      issueToken({ ...numbers, keys, contractStore, localCaller: who.localCaller, explainOrder }, asked),
    verifySession: (session_id) =>
      verifySession(session_id, {
        reader: log,
        schemas,
        rules: ledgerRules,
        audits: sessionAudits,
        readOther: readingOthers(log),
      }),
    async turnService() {
      const service = await turns.open();
      return service.ok ? ok(answeringTurnService(service.value, decisionSources, who.localCaller)) : service;
    },
    execTurn: (document, how) => ordered.exec(document, { ...how, caller, runFlow: runner.run }),
    executeTurn: (request, handler, { dev = false, signal } = {}) =>
      ordered.exec(request, { dev, handler, caller, runFlow: runner.run, ...(signal ? { signal } : {}) }),
    explainTurn: (document, { dev = false } = {}) => ordered.explain(document, { dev }),
  });
}

/** What an order under a framework says of it. */
function namesOf({ manifest: { framework_id }, specs: [spec_id] }: Framework) {
  return { framework_id, ...(spec_id === undefined ? {} : { spec_id }) };
}
