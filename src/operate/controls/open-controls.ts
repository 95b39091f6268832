import { settleDeadSessions } from "#agents";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import type { Postgres } from "#core/database";
import { domainError } from "#core/errors";
import { accountName } from "#core/machine";
import { type Opened, openOnStack } from "#core/shapes";
import { createIds, type DisposalStack, err, noFailpoints, ok, type Result } from "#core/values";
import { changedToolParts, createOrderLayers, lazyTurnService, quarantineParts } from "#effects";
import {
  type EventLog,
  type GrowingRedactor,
  growingRedactor,
  JsonlReader,
  type LogReader,
  PostgresReader,
  recordAct,
} from "#log";
import { type ApprovalKinds, createDecisions, type Decisions, type Inbox, localCaller, openInbox } from "#people";
import {
  anchorLinesIn,
  judgeForReading,
  type Kept,
  type LogParts,
  memoryPlace,
  openLog,
  openMemory,
  readKept,
} from "#proof";
import { type DecisionParts, type HaltControl, haltControl, inDoubtParts, nextOrderId } from "#work";
import {
  requirePlanes,
  signingFilesOf,
  vendorKeyVariables,
  type WorkspaceOptions,
  type WritConfig,
  workspaceKey,
} from "#workspace";
import { openShared } from "../store/open-shared.ts";
import type { SharedStore } from "../store/shared-store.ts";

/**
 * What stops and refuses: the kill switch and the inbox. It needs no trust and starts no program of the workspace, and of
 * its configuration only the place of the store and of the keys counts, so that nothing written there can keep a person from it.
 */
export interface ControlParts extends HaltControl {
  readonly root: string;
  readonly log: LogReader;
  readonly caller: string;
  readonly inbox: Inbox;
  readonly decisions: Decisions;
  localCaller(): ReturnType<typeof localCaller>;
  /** Takes the store as it is, although this machine saw a later one. False: it is not behind. */
  acceptStore(reason: string): Promise<Result<boolean>>;
}

export interface ControlOptions extends WorkspaceOptions {
  readonly approvalKinds: ApprovalKinds<DecisionParts>;
  /** Where a person reads what they should know beside the answer. */
  readonly stderr: { write(text: string): unknown };
}

/** What is opened of the workspace, with the log as soon as something is to be recorded. */
interface Ground extends ControlOptions {
  readonly config: WritConfig;
  readonly store: SharedStore;
  readonly postgres: Postgres | undefined;
  readonly reader: LogReader;
  readonly caller: string;
  readonly redactor: GrowingRedactor;
  readonly openEvents: () => Promise<Result<EventLog>>;
  /** Refused where the store is behind what this machine saw of it. */
  readonly judged: Result<void>;
  readonly remembered: Kept;
}

export function openControls(options: ControlOptions): Promise<Result<Opened<ControlParts>>> {
  return openOnStack((stack) => openParts(options, stack));
}

async function openParts(options: ControlOptions, stack: DisposalStack): Promise<Result<ControlParts>> {
  const { root, clock, random, env } = options;
  const planes = await requirePlanes(root);
  if (!planes.ok) return planes;
  const { controlsOf } = await import("../../governance/trust/controls-of.ts");
  const controls = await controlsOf(options);
  if (!controls.ok) return controls;
  const { config, secrets } = controls.value;
  const ground = {
    root,
    clock,
    random,
    secrets,
    onNotice: noticeOn(options),
    rebuild: async () => {
      const { rebuildFromEvents } = await import("../store/rebuild-from-events.ts"); // loaded only where a store was lost
      const key = await workspaceKey(root, config);
      return key.ok ? rebuildFromEvents({ root, clock, budget: config.workspace_budget, key: key.value }) : key;
    },
  };
  const shared = await openShared(config.store, ground, stack);
  if (!shared.ok) return shared;
  const { store, postgres } = shared.value;
  const made = growingRedactor([]);
  if (!made.ok) return made;
  for (const variable of Object.values(vendorKeyVariables)) {
    const value = variable === null ? undefined : env[variable];
    if (value && value.length >= 3) made.value.register(value);
  }
  const caller = config.identity.local_caller ?? `${accountName()}@local`;
  const reader = readerOf(options, postgres);
  const judged = await judgeForReading({ root, env, postgres });
  if (!judged.ok) noticeOn(options)(judged.error.message);
  const place = await memoryPlace({ root, env, postgres });
  const remembered: Kept = place ? readKept(place) : { is: "nothing" };
  let log: Promise<Result<LogParts>> | undefined;
  const base = { ...options, config, store, postgres, reader, caller, redactor: made.value, judged, remembered };
  const openEvents = async (): Promise<Result<EventLog>> => {
    const memory = openMemory({ root, env, clock, postgres, onNotice: noticeOn(options) });
    const opened = await (log ??= memory.then((kept) => openLog({ ...logNeeds(base), memory: kept }, stack)));
    return opened.ok ? ok(opened.value.log) : opened;
  };
  return ok(partsOver({ ...base, openEvents }, stack));
}

function noticeOn({ stderr }: Pick<ControlOptions, "stderr">): (line: string) => void {
  return (line) => void stderr.write(`writ: ${line}\n`);
}

const followMs = 50;

function readerOf({ root, clock }: ControlOptions, postgres: Postgres | undefined): LogReader {
  if (!postgres) return new JsonlReader({ root, rules: ledgerRules, clock, pollMs: followMs });
  const { tenant } = postgres.address;
  const anchorLines = () => anchorLinesIn(postgres, tenant, root);
  return new PostgresReader({ postgres, tenant, root, rules: ledgerRules, clock, pollMs: 2 * followMs, anchorLines });
}

/** The record first: a process that is killed before its head is kept leaves the store refused, and the person asks again. */
async function acceptStore(opened: Ground, stack: DisposalStack, reason: string): Promise<Result<boolean>> {
  const { judged, remembered, caller, root, env, clock, postgres } = opened;
  if (judged.ok) return ok(false);
  const memory = await openMemory({ root, env, clock, postgres, accepting: true, onNotice: noticeOn(opened) });
  const log = await openLog({ ...logNeeds(opened), memory }, stack);
  if (!log.ok) return log;
  const seen = remembered.is === "kept" ? remembered.kept.checkpoint : undefined;
  const payload = {
    remembered: seen ? { root_hash: seen.root_hash, tree_size: seen.tree_size, ts: seen.ts } : null,
    accepted_by: caller.slice(0, 256),
    reason: reason.slice(0, 256),
  };
  const act = { name: "store", actor: caller };
  const recorded = await recordAct(log.value.log, act, [{ type: "store.accepted", actor: caller, payload }]);
  if (!recorded.ok) return recorded;
  await memory?.drained();
  const now = await judgeForReading({ root, env, postgres });
  return now.ok ? ok(true) : now;
}

function logNeeds(base: Omit<Ground, "openEvents">): Parameters<typeof openLog>[0] {
  const { root, clock, random, config, redactor, postgres, store } = base;
  return {
    root,
    clock,
    config,
    redactor,
    postgres,
    schemas: shippedRegistry(), // the workspace's own contracts describe no event, and could be broken
    ids: createIds(clock, random),
    signingKeyFile: signingFilesOf(root, config).private,
    settleDead: (sessions, reader) => settleDeadSessions(sessions, reader, store),
  };
}

function partsOver(opened: Ground, stack: DisposalStack): ControlParts {
  const { root, config, clock, random, store, reader, caller, redactor, approvalKinds, openEvents } = opened;
  const log: Pick<EventLog, "create"> = {
    async create(wanted) {
      const events = await openEvents();
      return events.ok ? events.value.create(wanted) : events;
    },
  };
  const inbox = openInbox({
    store,
    log,
    clock,
    config,
    failpoint: noFailpoints,
    redact: (subject) => redactor.redactJson(subject).value,
  });
  const turnService = async () => {
    const events = await openEvents();
    if (!events.ok) return events;
    const turns = lazyTurnService({
      root,
      config,
      clock,
      random,
      caller,
      log: events.value,
      schemas: shippedRegistry(),
      layers: createOrderLayers(root),
      newWorkOrderId: () => nextOrderId(store, clock),
    });
    stack.defer(() => turns.close());
    return turns.open();
  };
  const decisions = createDecisions({
    inbox,
    kinds: approvalKinds,
    foresee: "nothing", // it refuses only
    parts: {
      ...inDoubtParts(reader),
      ...changedToolParts({ inbox, tools: pinsOnly(store) }),
      ...quarantineParts(turnService),
    },
    collect: () => Promise.resolve(ok(undefined)),
    resumeSession: () => undefined,
  });
  return {
    root,
    log: reader,
    caller,
    inbox,
    decisions,
    localCaller: () => localCaller(caller, config.identity),
    acceptStore: (reason) => acceptStore(opened, stack, reason),
    ...standingHalts(
      haltControl({ store, log, caller, localCaller: () => localCaller(caller, config.identity) }),
      opened,
    ),
  };
}

/** Approving a tool begins with starting its server, which is no matter of refusing. */
function pinsOnly(store: SharedStore): Parameters<typeof changedToolParts>[0]["tools"] {
  const refused = err(
    domainError("MALFORMED_INPUT", "this only refuses", { details: { hint: "`writ inbox approve` approves" } }),
  );
  return {
    async approvedHash(server, name) {
      const pins = await store.toolPins();
      return pins.ok ? ok(pins.value.find((pin) => pin.server === server && pin.name === name)?.hash) : pins;
    },
    approve: () => Promise.resolve(refused),
    survey: (_, servers = []) =>
      Promise.resolve(
        servers.map((server) => ({
          server,
          declaredIn: "",
          launch: {},
          error: refused.error,
          tools: [],
          unusable: [],
        })),
      ),
  };
}

/**
 * A halt that stands is no failure, also where its event cannot be recorded: a notice says so. To lift one lets things happen again,
 * so it waits until the store counts.
 */
function standingHalts(halts: HaltControl, opened: Ground): HaltControl {
  return {
    ...halts,
    liftHalt: async (session_id, by) => (opened.judged.ok ? halts.liftHalt(session_id, by) : opened.judged),
    async halt(session_id, reason, by) {
      const halted = await halts.halt(session_id, reason, by);
      if (halted.ok) return halted;
      const standing = await opened.store.halts();
      if (!standing.ok || !standing.value.some((each) => each.session_id === session_id)) return halted;
      noticeOn(opened)(`the halt stands, but it could not be recorded: ${halted.error.message}`);
      return ok(undefined);
    },
  };
}
