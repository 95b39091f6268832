import { join } from "node:path";
import { keepingAttention } from "#agents";
import { domainError } from "#core/errors";
import { hasRoomFor, nodeFiles, packageRoot } from "#core/machine";
import { coalesce, err, isSessionId, keyedSha256, ok } from "#core/values";
import {
  checkAsTurn,
  filesBelow,
  missingTools,
  readableFile,
  readWorkspaceFile,
  toolsInForce,
  viewFiles,
} from "#effects";
import { readPolicy } from "#governance";
import { takeUses } from "#people";
import type { LogParts } from "#proof";
import { keepingWorkflows } from "#workflows";
import { weakerTiersOf } from "#workspace";
import { haltSwitch } from "../halts/halt-switch.ts";
import { openAttachments, pictureOf } from "../orders/attachments.ts";
import type { CallerResolver } from "../orders/caller-resolver.ts";
import type { OpenIntake } from "../orders/intake.ts";
import type { OrderedTurns } from "../orders/ordered-turns.ts";
import { nextOrderId } from "../orders/write-work-order.ts";
import { readEvents } from "../replay/read-events.ts";
import { decomposeStrategy } from "../strategies/decompose.ts";
import { delegateStrategy } from "../strategies/delegate.ts";
import type { HandDowns } from "../strategies/hand-downs.ts";
import { houseRuleSources } from "../strategies/house-rules.ts";
import { reviewersOf } from "../strategies/reviewers.ts";
import { HistoryReader } from "../threads/read-history.ts";
import type { FlowDependencies } from "./flow.ts";
import { flowConfigOf } from "./flow-config.ts";
import type { FlowParts } from "./flow-parts.ts";
import { createOrderBook } from "./order-book.ts";
import { pinnedContracts } from "./pinned-contracts.ts";
import { toolDispatch } from "./tool-dispatch.ts";

/** A declared file is hashed in memory. */
const maxDeclaredBytes = 256 * 2 ** 20;

interface OwnParts extends FlowParts {
  readonly who: CallerResolver;
  readonly intake: OpenIntake;
  readonly ordered: OrderedTurns;
  readonly handDowns: HandDowns;
}

/** Everything that a flow of a workspace composes, each part from its place. */
export function flowDependencies(parts: OwnParts): FlowDependencies {
  const { root, config, schemas, clock, ids, store, key, redact, seals, contractFiles, eventKinds } = parts;
  const { hooks, gates, resolveFramework, contractStore, tools, skills, budgeter, attention, workflows, who } = parts;
  const flowConfig = flowConfigOf(config);
  const whyUnreadable = readPolicy(config, root);
  const readFile: FlowDependencies["readFile"] = async (path, session_id) => {
    const readable = readableFile(path, whyUnreadable);
    const view = session_id === undefined ? undefined : parts.landing.viewOf(session_id);
    return readable.ok ? readWorkspaceFile(root, readable.value, maxDeclaredBytes, view) : readable;
  };
  return {
    log: { create: (wanted) => createReady(parts, wanted) },
    schemas,
    eventKinds,
    hooks,
    keepSkill: parts.keepSkill,
    budgeter,
    sharesBudget: config.workspace_budget.token_limit !== null || config.workspace_budget.usd_limit !== null,
    skills,
    clock,
    ids,
    intake: parts.intake,
    redact,
    seals,
    attention: keepingAttention(attention.service, contractStore),
    config: flowConfig,
    strategies: { decompose: decomposeStrategy, delegate: delegateStrategy, ...parts.strategies },
    nextOrderId: () => nextOrderId(store, clock),
    handDowns: parts.handDowns,
    keyedHash: (text) => keyedSha256(key, text),
    weakerTiers: weakerTiersOf(config),
    resolveFramework: coalesce((framework_id) => gates.admit(() => resolveFramework(framework_id))),
    confirmGates: (framework) => gates.confirm(framework),
    authenticate: who.authenticate,
    authorize: who.authorize,
    takeUses: (work_order_id, { counted }) => takeUses(store, work_order_id, counted),
    orders: createOrderBook(store),
    halts: haltSwitch(store, clock),
    limitReached: (limit) => parts.limits.reached(limit),
    hasRoom: () => hasRoomFor(join(root, "planes"), config.limits.free_disk_bytes),
    workflows: keepingWorkflows(workflows, { root, shipped: packageRoot }, contractStore),
    inbox: parts.inbox,
    routerFor: parts.routerFor,
    usdLimitFor: parts.usdLimitFor,
    ...toolsOf(parts),
    rolePrompt: parts.rolePrompt,
    houseRules: houseRuleSources(parts),
    claudePermissions: parts.claudePermissions,
    reviewers: reviewersOf(config, parts.routerFor),
    risks: {
      foreignTools: () =>
        tools
          .list()
          .flatMap(({ name, origin, annotations }) =>
            origin === "builtin" || annotations.readOnly === true ? [] : [name],
          ),
      aboveUsd: config.review.above_usd,
    },
    pinned: coalesce(
      pinnedContracts({
        root,
        shipped: packageRoot,
        files: contractFiles,
        schemas,
        config,
        flow: flowConfig,
        hooks,
        tools,
        strategies: parts.strategies,
        skills,
        contractStore,
      }),
    ),
    ...turnsOf(parts),
    landing: parts.landing,
    threads: threadsOf(parts),
    readSession: async (session_id) =>
      isSessionId(session_id) ? readEvents(parts.log, session_id) : err(noSession(session_id)),
    pendingWrites: (session_id) => parts.pendingWrites(session_id),
    filesOf: (session_id) => {
      const view = parts.landing.viewOf(session_id);
      return view.changed.length === 0 ? undefined : viewFiles(view, nodeFiles);
    },
    filesBelow: (folder, session_id, most) => filesBelow(parts.landing.viewOf(session_id), folder, most),
    readFile,
    openAttachments: (attachments) => openAttachments(parts, attachments),
    pictureOf: (session_id) => (path, sha256) =>
      pictureOf({ contractStore, readFile: (each) => readFile(each, session_id) }, path, sha256),
  };
}

/** How a flow reaches tools. */
function toolsOf(
  parts: FlowParts,
): Pick<
  FlowDependencies,
  "toolOffers" | "isReadOnly" | "declaredTools" | "approvedTools" | "missingTools" | "dispatch"
> {
  const { config, clock, ids, root, redactor, seals, log, inbox, tools, hooks, mcp } = parts;
  return {
    toolOffers: (isAllowed) =>
      tools
        .list()
        .filter(({ name }) => isAllowed(name) && (name !== "delegate" || config.v2_features.delegation_enabled))
        .map(({ name, description, schema_in }) => {
          const check = tools.find(name)?.checkArgs;
          return { name, description, input_schema: asOffered(schema_in), ...(check ? { check } : {}) };
        }),
    isReadOnly: (name) => tools.find(name)?.tool.annotations.readOnly === true,
    declaredTools: () =>
      Object.fromEntries(tools.list().flatMap(({ name, values }) => (values === undefined ? [] : [[name, values]]))),
    approvedTools: () =>
      Object.fromEntries(
        tools.list().flatMap(({ name, approved }) => (approved === undefined ? [] : [[name, approved]])),
      ),
    missingTools: (wanted) => missingTools(wanted, tools),
    dispatch: toolDispatch({
      registry: tools,
      hooks,
      clock,
      ids,
      root,
      redactor,
      seals,
      inbox,
      isInForce: toolsInForce(log, (name) => mcp.isAdopted(name)),
      limits: { timeoutMs: config.limits.tool_timeout_seconds * 1000, maxOutputBytes: config.limits.tool_output_bytes },
    }),
  };
}

/** What a flow asks of the thread that it belongs to. */
function threadsOf({ store, log }: FlowParts): FlowDependencies["threads"] {
  const histories = new HistoryReader(log);
  return {
    history: (session_id) => histories.at(session_id),
    async waiting(thread_id) {
      const messages = await store.messagesOf(thread_id);
      return messages.ok ? ok(messages.value.filter((message) => message.session_id === null)) : messages;
    },
    take: async (place) => store.takeMessage(place),
  };
}

function noSession(session_id: string) {
  return domainError("NOT_FOUND", `${JSON.stringify(session_id)} is no session`);
}

/** Without what names a contract: a model needs none of it, and it is sent with every call. */
function asOffered(schema: object): object {
  const { $schema: _, $id: __, title: ___, ...rest } = schema as Record<string, unknown>;
  return rest;
}

/** How a flow runs programs: as turns, also those of its acceptance. */
function turnsOf({ ordered, turns }: OwnParts): Pick<FlowDependencies, "runTurn" | "runCheck"> {
  return { runTurn: ordered.runTurn, runCheck: (check) => checkAsTurn(turns.open, check) };
}

/** A new session waits until the budgets of dead ones are settled: what those hold counts. */
async function createReady(
  { log, ready }: LogParts,
  wanted: Parameters<FlowDependencies["log"]["create"]>[0],
): ReturnType<FlowDependencies["log"]["create"]> {
  const created = await log.create(wanted);
  const settled = await ready();
  return settled.ok ? created : settled;
}
