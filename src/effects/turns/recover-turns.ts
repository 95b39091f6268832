import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "#core/database";
import { type DomainError } from "#core/errors";
import { type Failpoint, noFailpoints, ok, type Result, type SessionId } from "#core/values";
import type { Event, Recorder } from "#log";
import { dropSlot } from "../sandbox/slot.ts";
import { applyCommit } from "./commit/apply.ts";
import type { CommitEvent, RedoRecord } from "./commit/redo-record.ts";
import { readJournal } from "./layer/layer-journal.ts";
import { layerFolder, removeLayer } from "./layer/order-layers.ts";
import { dropFromQuarantine } from "./quarantine/quarantine.ts";
import { readMarker, readRedo, type TurnMarker, type TurnStore } from "./turn-store.ts";

/** The session of a turn whose process died, adopted to record how the turn ended. */
export interface TakenSession {
  readonly recorder: Recorder;
  /** The events of this turn that the log holds. */
  turnEvents(turnId: string): Promise<readonly Event[]>;
  release(): Promise<void>;
}

export interface RecoveryOptions {
  readonly root: string;
  readonly store: TurnStore;
  /** Undefined when the session is not in the log: then nothing was announced, and nothing has to be recorded. */
  takeSession(sessionId: SessionId): Promise<Result<TakenSession | undefined>>;
  readonly failpoint?: Failpoint;
}

export interface RecoveredTurn {
  readonly turn_id: string;
  readonly session_id: string;
  readonly outcome: "committed" | "aborted" | "nothing";
}

/**
 * Finishes the turns of dead processes. An announced commit is carried out and recorded; a turn that was still running is
 * recorded as aborted. The recovery may itself be killed at any moment and run again.
 */
export async function recoverTurns(options: RecoveryOptions): Promise<Result<readonly RecoveredTurn[]>> {
  const { store } = options;
  const recovered: RecoveredTurn[] = [];
  for (const name of readdirSync(join(store.folder, "running")).sort()) {
    const folder = join(store.folder, "running", name);
    const marker = readMarker(folder);
    if (marker === undefined) {
      store.end(folder); // a turn's folder appears with its marker: one without is being removed, or was damaged
      continue;
    }
    if (isAlive(join(store.folder, "processes", marker.process))) continue;
    const done = await store.withCommitLock(() => recoverOne(options, folder, marker));
    // Another process has the session, to resume or to end it: the next process that opens the workspace finishes the turn.
    if (!done.ok && done.error.code === "SESSION_BUSY") continue;
    if (!done.ok) return done;
    recovered.push({ turn_id: marker.turn_id, session_id: marker.session_id, outcome: done.value });
  }
  store.forgetTheDead();
  return ok(recovered);
}

async function recoverOne(
  options: RecoveryOptions,
  folder: string,
  marker: TurnMarker,
): Promise<Result<RecoveredTurn["outcome"]>> {
  const failpoint = options.failpoint ?? noFailpoints;
  const promised = readRedo(folder) ?? promisedInLayer(options.root, marker);
  let takenBack: DomainError | undefined;
  if (promised) {
    const applied = await applyCommit(options.root, folder, promised, failpoint);
    if (!applied.ok && applied.error.details["promised"] === true) return applied;
    if (!applied.ok) takenBack = applied.error;
    failpoint("turn.recover.applied");
  }
  const redo = takenBack ? undefined : promised;
  const session = await options.takeSession(marker.session_id as SessionId);
  if (!session.ok) return session;
  let outcome: RecoveredTurn["outcome"] = redo ? "committed" : takenBack ? "aborted" : "nothing";
  if (session.value) {
    const said = await say(session.value, marker, redo, takenBack);
    await session.value.release();
    if (!said.ok) return said;
    if (said.value === "aborted") outcome = "aborted";
  }
  failpoint("turn.recover.recorded");
  if (redo) clearAway(options, redo);
  options.store.end(folder);
  if (marker.slot !== null) await dropSlot({ folder: marker.slot });
  return ok(outcome);
}

/** A commit into the layer of an order is promised by a line of its journal. */
function promisedInLayer(root: string, { turn_id, session_id, layer }: TurnMarker): RedoRecord | undefined {
  if (layer === undefined) return undefined;
  const line = readJournal(layerFolder(root, layer)).find(({ id }) => id === turn_id);
  return line && { version: 1, turn_id, session_id, owner: null, steps: [], event: line.event };
}

/** What has landed waits nowhere any more. */
function clearAway({ root, store }: RecoveryOptions, { event, session_id, turn_id }: RedoRecord): void {
  if (event.type === "order.landed") removeLayer(root, session_id);
  if (actionOf(event) === "released") dropFromQuarantine(store.quarantine, turn_id);
}

/** What a person decided about writes in quarantine; undefined where the event is about none. */
function actionOf({ payload }: { readonly payload: object }): unknown {
  return "action" in payload ? payload.action : undefined;
}

function asRecovered(event: CommitEvent): CommitEvent {
  if (event.type === "turn.committed") return { ...event, payload: { ...event.payload, recovered: true } };
  if (event.type === "order.landed") return { ...event, payload: { ...event.payload, recovered: true } };
  return event;
}

/** Records how the turn ended, unless the log holds that already. */
async function say(
  session: TakenSession,
  marker: TurnMarker,
  redo: RedoRecord | undefined,
  takenBack: DomainError | undefined,
): Promise<Result<"aborted" | "said">> {
  const known = await session.turnEvents(marker.turn_id);
  if (redo) {
    const said = known.some((event) => event.type === redo.event.type && actionOf(event) === actionOf(redo.event));
    if (said) return ok("said");
    const appended = await session.recorder.append({ ...asRecovered(redo.event), actor: "turns" });
    return appended.ok ? ok("said") : appended;
  }
  const ended = known.some(
    (event) => event.type === "turn.committed" || event.type === "turn.failed" || event.type === "turn.aborted",
  );
  if (ended || !known.some((event) => event.type === "turn.started")) return ok("said");
  const appended = await session.recorder.append({
    type: "turn.aborted",
    actor: "turns",
    payload: {
      turn_id: marker.turn_id,
      turn_number: marker.turn_number,
      reason: takenBack?.message ?? "Writ ended while the turn was running; nothing of it was kept",
    },
  });
  return appended.ok ? ok("aborted") : appended;
}
