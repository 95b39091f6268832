import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SchemaRegistry } from "#core/contracts";
import { domainError, messageOf } from "#core/errors";
import { type Clock, createIds, err, type Failpoint, ok, type Random, type Result } from "#core/values";
import { filesOfConfig } from "#governance";
import { type EventLog, type SessionLog, tiers } from "#log";
import type { WritConfig } from "#workspace";
import type { SkillSnapshots } from "../programs/skill-snapshots.ts";
import { type TurnLimits } from "../sandbox/limits.ts";
import { createTurnSandbox } from "../sandbox/turn-sandbox.ts";
import { cleanUp } from "./clean-up.ts";
import type { OrderLayers } from "./layer/order-layers.ts";
import { limitsOf } from "./limits-of.ts";
import { listQuarantine, type Quarantined, showQuarantined } from "./quarantine/quarantine.ts";
import { type QuarantinedCode, quarantinedCode } from "./quarantine/quarantined-code.ts";
import { dropQuarantined, type QuarantineDecision, releaseQuarantined } from "./quarantine/release.ts";
import { type RecoveredTurn, type RecoveryOptions, recoverTurns } from "./recover-turns.ts";
import { takeSessionFrom } from "./take-session.ts";
import { type TurnDeps } from "./turn.ts";
import { openTurnStore, type TurnStore } from "./turn-store.ts";

/** Parts of the runtime that the turn service uses. */
export interface TurnServiceOptions {
  readonly root: string;
  readonly config: WritConfig;
  readonly schemas: SchemaRegistry;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  /** The local caller. */
  readonly caller: string;
  /** Work order for a turn that names none. */
  readonly newWorkOrderId: () => Promise<Result<string>>;
  /** Sandboxes kept ready; none for a command that runs one turn. */
  readonly pool?: number;
  readonly layers: OrderLayers;
  readonly skillSnapshots?: SkillSnapshots;
  /** For tests that end the process at a named point. */
  readonly failpoint?: Failpoint;
}

/** Runs the turns of a workspace and keeps the quarantined ones. */
export interface TurnService {
  readonly deps: TurnDeps;
  /** Limits of a turn that the profile sets. */
  readonly limits: Partial<TurnLimits>;
  readonly recovered: readonly RecoveredTurn[];
  /** Finishes turns of processes that died since the service was opened. */
  recover(): Promise<Result<void>>;
  quarantined(): readonly Quarantined[];
  showQuarantined(turnId: string): Result<Quarantined>;
  /** Those of its writes that run by themselves once they land. */
  codeAmong(about: Quarantined): readonly QuarantinedCode[];
  /** `by`: the local caller by default. `allowCode`: what they name of the code among its writes. */
  release(turnId: string, by?: string, allowCode?: readonly string[]): Promise<Result<Quarantined>>;
  drop(turnId: string, by?: string): Promise<Result<Quarantined>>;
  close(): Promise<void>;
}

const hourMs = 3600 * 1000;
const keptBytes = 2 ** 30;

/** Opens the service. Turns of dead processes are finished first. */
export async function openTurnService(options: TurnServiceOptions): Promise<Result<TurnService>> {
  const { root, config, schemas, clock, random } = options;
  const ids = createIds(clock, random);
  const store = openTurnStore({ root, clock, ids });
  const recovered = await readyStore(options, store);
  if (!recovered.ok) {
    store.close();
    return recovered;
  }
  const named = filesOfConfig(config, root);
  const minimumTier = config.sandbox.minimum_tier === "T4" ? "T3" : config.sandbox.minimum_tier;
  const sandbox = createTurnSandbox({
    root,
    clock,
    random,
    minimumTier,
    layerBytes: config.sandbox.output_bytes,
    isSecret: (path) => named.whyUnreadable(path) !== undefined,
    ...(options.pool ? { pool: options.pool } : {}),
  });
  const { layers, skillSnapshots, failpoint } = options;
  const deps: TurnDeps = {
    root,
    clock,
    ids,
    schemas,
    sandbox,
    store,
    named,
    layers,
    ...(skillSnapshots ? { skillSnapshots } : {}),
    ...(failpoint ? { failpoint } : {}),
  };
  const decide = async (
    turnId: string,
    how: (deps: TurnDeps, decision: QuarantineDecision) => Promise<Result<Quarantined>>,
    by = options.caller,
  ): Promise<Result<Quarantined>> => {
    const found = showQuarantined(store.quarantine, turnId);
    if (!found.ok) return found;
    // A decision of a person is recorded in a session of its own, beside the turn's session.
    const session = await openSession(options, found.value.session_id);
    if (!session.ok) return session;
    const done = await how(deps, { turnId, by, recorder: session.value });
    const closed = await session.value.close({ ok: done.ok, status: done.ok ? "success" : "failure" });
    return done.ok && !closed.ok ? closed : done;
  };
  return ok({
    deps,
    limits: limitsOf(config, {}),
    recovered: recovered.value,
    async recover() {
      const done = await recoverTurns(recoveryOf(options, store));
      return done.ok ? ok(undefined) : done;
    },
    quarantined: () => listQuarantine(store.quarantine),
    showQuarantined: (turnId) => showQuarantined(store.quarantine, turnId),
    codeAmong: (about) => quarantinedCode(about, named),
    release: (turnId, by, allowCode = []) =>
      decide(turnId, (parts, decision) => releaseQuarantined(parts, { ...decision, allowCode }), by),
    drop: (turnId, by) => decide(turnId, dropQuarantined, by),
    async close() {
      await sandbox.close();
      store.close();
    },
  });
}

/** Finishes the turns of dead processes, and deletes scratch and quarantine that are too old or too large. */
async function readyStore(options: TurnServiceOptions, store: TurnStore): Promise<Result<readonly RecoveredTurn[]>> {
  const { root, config, clock } = options;
  try {
    const recovered = await recoverTurns(recoveryOf(options, store));
    if (!recovered.ok) return recovered;
    cleanUp({
      root,
      quarantine: store.quarantine,
      clock,
      keepScratch: { maxAgeMs: config.sandbox.keep_scratch_hours * hourMs, maxBytes: keptBytes },
      keepQuarantine: { maxAgeMs: config.sandbox.keep_quarantine_days * 24 * hourMs, maxBytes: keptBytes },
      isOpen: (sessionId) => isAtWork(root, sessionId),
    });
    return recovered;
  } catch (thrown) {
    return err(
      domainError("STORE_UNAVAILABLE", `the place of turns ${store.folder} is not usable: ${messageOf(thrown)}`, {
        cause: thrown,
      }),
    );
  }
}

function recoveryOf({ root, log, failpoint }: TurnServiceOptions, store: TurnStore): RecoveryOptions {
  return { root, store, takeSession: takeSessionFrom(log), ...(failpoint ? { failpoint } : {}) };
}

async function openSession(options: TurnServiceOptions, about: string): Promise<Result<SessionLog>> {
  const order = await options.newWorkOrderId();
  if (!order.ok) return order;
  const session = await options.log.create({ tier: "ho1" });
  if (!session.ok) return session;
  const started = await session.value.append({
    type: "session.start",
    actor: "turns",
    payload: {
      tier: "ho1",
      work_order_id: order.value,
      caller_id: options.caller,
      dev_mode: false,
      parent_session_id: about,
    },
  });
  return started.ok ? session : started;
}

/** A session has its snapshot once it is closed. */
function isAtWork(root: string, sessionId: string): boolean {
  const folders = tiers.map((tier) => join(root, "planes", tier, "sessions", sessionId));
  return folders.some((folder) => existsSync(folder) && !existsSync(join(folder, "snapshot.json")));
}
