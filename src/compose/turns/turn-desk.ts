import {
  type Clock,
  createIds,
  type DomainError,
  domainError,
  err,
  type IdSource,
  ok,
  type Random,
  type Result,
  type SessionId,
} from "#base";
import type { EventLog, SessionLog } from "#events";
import { type SchemaRegistry, type TurnRequestV1, type TurnResultV1 } from "#schemas";
import {
  type Capabilities,
  cleanUp,
  createTurnSandbox,
  defaultLimits,
  dropQuarantined,
  executeTurn,
  listQuarantine,
  openTurnStore,
  type Quarantined,
  type RecoveredTurn,
  recoverTurns,
  releaseQuarantined,
  showQuarantined,
  type TurnDeps,
  type TurnLimits,
  takeSessionFrom,
} from "#turns";
import type { WritConfig } from "../config/writ-config.ts";

/** What the desk takes of a runtime. */
export interface TurnDeskOptions {
  readonly root: string;
  readonly config: WritConfig;
  readonly schemas: SchemaRegistry;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  /** Who acts. */
  readonly caller: string;
  /** The mandate of a turn that came without one. */
  readonly newWorkOrderId: (purpose: string) => Promise<Result<string>>;
  /** What an installed package may do, by its signed manifest. */
  readonly packageCapabilities: (package_id: string) => Result<Capabilities>;
  /** Sandboxes kept ready; none for a command that runs one turn. */
  readonly pool?: number;
}

/** Where turns of a workspace are ordered: one by one from a file, and what became of those that were refused. */
export interface TurnDesk {
  readonly deps: TurnDeps;
  /** What the profile lets a turn use. */
  readonly limits: Partial<TurnLimits>;
  readonly recovered: readonly RecoveredTurn[];
  /** One turn in a session of its own. */
  exec(document: unknown, options: { readonly dev: boolean; readonly signal?: AbortSignal }): Promise<TurnResultV1>;
  quarantined(): readonly Quarantined[];
  showQuarantined(turnId: string): Result<Quarantined>;
  release(turnId: string): Promise<Result<Quarantined>>;
  drop(turnId: string): Promise<Result<Quarantined>>;
  close(): Promise<void>;
}

const dayMs = 24 * 3600 * 1000;
const quarantineBytes = 2 ** 30;

/** Opens the desk: turns that a dead process left are finished first. */
export async function openTurnDesk(options: TurnDeskOptions): Promise<Result<TurnDesk>> {
  const { root, config, schemas, log, clock, random } = options;
  const ids = createIds(clock, random);
  const store = openTurnStore({ root, clock, ids });
  const recovered = await recoverTurns({ root, store, takeSession: takeSessionFrom(log) });
  if (!recovered.ok) {
    store.close();
    return recovered;
  }
  cleanUp({
    root,
    quarantine: store.quarantine,
    clock,
    maxAgeMs: config.sandbox.keep_quarantine_days * dayMs,
    maxBytes: quarantineBytes,
    isOpen: () => false,
  });
  const minimumTier = config.sandbox.minimum_tier === "T4" ? "T3" : config.sandbox.minimum_tier;
  const sandbox = createTurnSandbox({
    root,
    clock,
    random,
    minimumTier,
    ...(options.pool ? { pool: options.pool } : {}),
  });
  const deps: TurnDeps = { root, clock, ids, schemas, sandbox, store };
  const decide = async (turnId: string, how: typeof releaseQuarantined): Promise<Result<Quarantined>> => {
    const found = showQuarantined(store.quarantine, turnId);
    if (!found.ok) return found;
    // A decision of a person is a session of its own, beside the one that it is about.
    const session = await openSession(options, `quarantine of ${turnId}`, undefined, found.value.session_id);
    if (!session.ok) return session;
    const done = await how(deps, { turnId, by: options.caller, recorder: session.value });
    const closed = await session.value.close({ ok: done.ok, status: done.ok ? "success" : "failure" });
    return done.ok && !closed.ok ? closed : done;
  };
  return ok({
    deps,
    limits: limitsOf(config, {}),
    recovered: recovered.value,
    exec: (document, how) => execOne(options, deps, ids, document, how),
    quarantined: () => listQuarantine(store.quarantine),
    showQuarantined: (turnId) => showQuarantined(store.quarantine, turnId),
    release: (turnId) => decide(turnId, releaseQuarantined),
    drop: (turnId) => decide(turnId, dropQuarantined),
    async close() {
      await sandbox.close();
      store.close();
    },
  });
}

async function execOne(
  options: TurnDeskOptions,
  deps: TurnDeps,
  ids: IdSource,
  document: unknown,
  how: { readonly dev: boolean; readonly signal?: AbortSignal },
): Promise<TurnResultV1> {
  const checked = options.schemas.validate("turn_request_v1", document);
  if (!checked.ok) return refused({ ...checked.error, kind: "input" });
  const request = checked.value;
  const handler = request.handler;
  if (!handler?.command && !handler?.module)
    return refused(domainError("MALFORMED_INPUT", "the turn has no handler: give handler.command or handler.module"));
  const capabilities = capabilitiesOf(options, request, how.dev);
  if (!capabilities.ok) return refused(capabilities.error);
  const session = await openSession(
    options,
    `turn ${request.turn_number} of ${request.package_id}`,
    request.work_order_id,
    undefined,
    how.dev,
    ids.sessionId(),
  );
  if (!session.ok) return refused(session.error);
  const result = await executeTurn(deps, {
    request: { ...request, session_id: session.value.session_id },
    capabilities: options.config.sandbox.network ? capabilities.value : withoutNetwork(capabilities.value),
    handler: handler.command
      ? { kind: "command", command: handler.command }
      : { kind: "module", module: handler.module ?? "" },
    recorder: session.value,
    limits: limitsOf(options.config, request),
    ...(how.signal ? { signal: how.signal } : {}),
  });
  const closed = await session.value.close({
    ok: result.status === "ok",
    status: result.status === "ok" ? "success" : "failure",
    ...(result.error ? { reason: result.error.code } : {}),
  });
  return closed.ok
    ? result
    : { ...result, status: "error", error: { code: closed.error.code, message: closed.error.message } };
}

/** With `--dev`, and only then, a turn brings its own capabilities; otherwise its package's manifest rules. */
function capabilitiesOf(options: TurnDeskOptions, request: TurnRequestV1, dev: boolean): Result<Capabilities> {
  if (request.capabilities !== undefined) {
    if (dev) return ok(request.capabilities);
    return err(
      domainError(
        "NOT_AUTHORIZED",
        "the turn brings its own capabilities, which only --dev allows; without it the package's manifest rules",
        {
          details: { package_id: request.package_id },
        },
      ),
    );
  }
  return options.packageCapabilities(request.package_id);
}

async function openSession(
  options: TurnDeskOptions,
  purpose: string,
  mandate?: string,
  about?: string,
  dev = false,
  sessionId?: SessionId,
): Promise<Result<SessionLog>> {
  const order = mandate === undefined ? await options.newWorkOrderId(purpose) : ok(mandate);
  if (!order.ok) return order;
  const session = await options.log.create({ tier: "ho1", ...(sessionId ? { session_id: sessionId } : {}) });
  if (!session.ok) return session;
  const started = await session.value.append({
    type: "session.start",
    actor: "turns",
    payload: {
      tier: "ho1",
      work_order_id: order.value,
      caller_id: options.caller,
      dev_mode: dev,
      ...(about === undefined ? {} : { parent_session_id: about }),
    },
  });
  return started.ok ? session : started;
}

/** The profile's limits; a turn may ask for less. */
function limitsOf(config: WritConfig, request: Pick<TurnRequestV1, "limits">): Partial<TurnLimits> {
  const { sandbox } = config;
  const asked = request.limits ?? {};
  const least = (profile: number, turn: number | undefined) => Math.min(profile, turn ?? profile);
  return {
    timeoutMs: least(config.limits.flow_timeout_seconds * 1000, (asked.timeout_seconds ?? 60) * 1000),
    memoryBytes: least(
      sandbox.memory_mib * 2 ** 20,
      asked.memory_mb === undefined ? undefined : asked.memory_mb * 2 ** 20,
    ),
    processes: least(sandbox.processes, asked.processes),
    openFiles: least(sandbox.open_files, asked.open_files),
    layerBytes: sandbox.output_bytes,
    outputBytes: least(defaultLimits.outputBytes, asked.output_bytes),
  };
}

function withoutNetwork(capabilities: Capabilities): Capabilities {
  const { network: _, ...rest } = capabilities;
  return rest;
}

/** A turn that was refused before it had a session. */
function refused(error: DomainError): TurnResultV1 {
  return {
    status: "error",
    result: null,
    evidence: { committed: false },
    error: {
      code: error.code,
      message: error.message,
      retryable: error.retryable,
      details: JSON.parse(JSON.stringify(error.details)),
    },
  };
}
