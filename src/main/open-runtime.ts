import { keepingAttention } from "#agents";
import { ledgerRules } from "#core/contracts";
import { packageRoot } from "#core/machine";
import { ok, type Result } from "#core/values";
import {
  answeringInbox,
  answeringTurnService,
  changedToolParts,
  collectQuarantined,
  createApprovals,
  execAsTurn,
  quarantineParts,
  writeAsTurn,
} from "#effects";
import { recordAct } from "#log";
import { openTelemetry } from "#operate";
import { createDecisions, createKeyring } from "#people";
import { verifySession } from "#proof";
import {
  type ControlSources,
  callerResolver,
  createFlowRunner,
  explainOrder,
  finishResolved,
  forkControl,
  haltControl,
  inDoubtParts,
  keyedOrders,
  ObserveFlows,
  sessionControl,
  writeCycleOrder,
  writeToolOrder,
  writeWorkOrder,
} from "#work";
import { annotationsOf, backtestService, pinnedWorkflows } from "#workflows";
import { flowOfWorkspace } from "./flow-of-workspace.ts";
import { layFoundations } from "./foundations.ts";
import { openDesks } from "./open-desks.ts";
import { openInstruments } from "./open-instruments.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";
import { approvalKinds } from "./tables/approvals.ts";

/** From a folder to a wired workspace: foundations, desks, instruments, the flow over them. */
export async function openRuntime(options: RuntimeOptions): Promise<Result<Runtime>> {
  const laid = await layFoundations(options);
  if (!laid.ok) return laid;
  const base = laid.value;
  const { root, config, schemas, clock, store, caller } = base;
  const openedDesks = await openDesks(base);
  if (!openedDesks.ok) {
    await store.close();
    return openedDesks;
  }
  const desks = openedDesks.value;
  const openedInstruments = await openInstruments(base, {
    runTurn: execAsTurn(desks.turns.open),
    writeTurn: writeAsTurn(desks.turns.open),
  });
  if (!openedInstruments.ok) {
    await desks.close();
    await store.close();
    return openedInstruments;
  }
  const instruments = openedInstruments.value;
  const openedTelemetry = await openTelemetry({
    config: config.telemetry,
    env: options.env,
    secrets: base.secrets,
    version: base.version,
  });
  if (!openedTelemetry.ok) {
    await instruments.close();
    await desks.close();
    await store.close();
    return openedTelemetry;
  }
  const telemetry = openedTelemetry.value;
  const { hooks, tools, skills } = instruments;
  const { log, packages, gates, turns } = desks;
  const who = callerResolver({ identity: config.identity, local: caller, clock });
  const keys = createKeyring({
    store,
    identity: config.identity,
    localCaller: caller,
    clock,
    random: base.random,
    record: (act) => recordAct(log, { name: "api-key", actor: act.actor }, [act]),
  });
  const { flow, workflows, attention, contractStore } = flowOfWorkspace({
    base,
    desks,
    instruments,
    who,
    strategies: options.strategies ?? {},
  });
  const sources: ControlSources = {
    flow,
    log,
    ready: desks.ready,
    schemas,
    clock,
    root,
    shipped: packageRoot,
    contractStore,
    caller,
    localCaller: who.localCaller,
    inbox: desks.inbox,
    restoreCaller: keys.recall,
    attentionUnder: (pinned, framework) => keepingAttention(attention.under(pinned, framework), contractStore),
  };
  const approvals = createApprovals({ mcp: instruments.mcp, tools, schemas, log, store, clock, by: caller });
  const observe = new ObserveFlows({
    inbox: desks.inbox,
    tools: approvals,
    telemetry,
    log,
    freshen: instruments.mcp.adopt,
  });
  const runner = observe.runner(createFlowRunner(flow));
  const decisionSources = { log, root, inbox: desks.inbox, turnService: turns.open, tools: approvals, caller };
  const decisionsThat: Runtime["decisionsThat"] = (goOn) =>
    createDecisions({
      inbox: desks.inbox,
      kinds: approvalKinds,
      parts: { ...inDoubtParts(log), ...changedToolParts(decisionSources), ...quarantineParts(turns.open) },
      async collect() {
        const finished = await finishResolved(decisionSources);
        return finished.ok ? collectQuarantined(decisionSources) : finished;
      },
      goOn,
    });
  const numbers = { clock, nextOrderId: flow.nextOrderId };
  const control = observe.control(sessionControl(sources));
  return ok({
    root,
    config,
    schemas,
    log,
    hooks,
    skills,
    workflows,
    workflowsUnder: (law) => pinnedWorkflows(law, { root, shipped: packageRoot, schemas, contractStore }),
    tools,
    packages,
    gates,
    keys,
    caller,
    store,
    inbox: desks.inbox,
    decisions: decisionsThat(() => undefined),
    decisionsThat,
    nextOrderId: numbers.nextOrderId,
    localCaller: who.localCaller,
    ...control,
    ...keyedOrders({ ...sources, ...numbers, runner }, control),
    ...observe.forks(forkControl(sources)),
    ...haltControl(store, log, caller),
    writeWorkOrder: (prompt, wanted = {}) => writeWorkOrder({ ...numbers, skills }, prompt, wanted),
    writeToolOrder: (tool, args, allow = []) => writeToolOrder(numbers, { tool, args, allow }),
    writeCycleOrder: (cycle_id, wanted = {}) => writeCycleOrder({ ...numbers, workflows }, cycle_id, wanted),
    runFlow: (request, flowOptions = {}) => runner.run(request, flowOptions),
    explainOrder(request) {
      const offered = tools.list().map((tool) => tool.name);
      return explainOrder(flow, request, offered, who.weigh);
    },
    verifySession: (session_id) => verifySession(session_id, { reader: log, schemas, rules: ledgerRules }),
    async turnService() {
      const desk = await turns.open();
      return desk.ok ? ok(answeringTurnService(desk.value, decisionSources, who.localCaller)) : desk;
    },
    execTurn: (document, how) => desks.ordered.exec(document, { ...how, caller, runFlow: runner.run }),
    approvals: answeringInbox(decisionSources, who.localCaller),
    backtest: backtestService({
      ...base,
      reader: log,
      law: contractStore,
      workflows,
      redact: (text) => base.redact(text),
      annotationsOf: (name) => annotationsOf(tools, name),
    }),
    async close() {
      await telemetry?.close();
      await instruments.close();
      await attention.close();
      const shut = await desks.close();
      await store.close();
      return shut;
    },
  });
}
