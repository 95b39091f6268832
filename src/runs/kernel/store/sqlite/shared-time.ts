import type { Sqlite } from "#core/database";
import type { Clock } from "#core/values";
import type { ClockStep } from "./say-clock-step.ts";
import { rowsOf, writeOf } from "./sql.ts";

/** The time of leases, for all processes that share the database. */
export interface SharedTime {
  /** Called with the write lock held. Moves what waits if the wall clock was set; `moved` is called then. */
  now(moved: () => void): number;
  /** Called after the commit, which keeps what `now` wrote: the step that it noticed, once. */
  committed(): ClockStep | undefined;
}

/** Less is no step: NTP corrects it gradually, and no lease is that short. */
const leastStep = 1_000;
/** How long a process may be suspended between two readings that belong together. */
const mostBetween = 5;
/** How old `newest_ms` may be: writing it costs an idle conductor a sync. */
const refreshMs = 60_000;

/** What a process found when it looked at both clocks. `offset`: what its wall clock is ahead of monotonic time. */
interface Look {
  readonly boot: string | undefined;
  readonly ms: number;
  readonly offset: number;
}

interface Anchor {
  readonly boot: string | undefined;
  readonly offset: number;
  readonly newest: number;
}

/** What follows from a look. `by`: how far all that waits is moved. */
export interface Decided {
  readonly offset: number;
  readonly by: number;
  readonly cause: ClockStep["cause"] | undefined;
}

/**
 *   same boot, wall clock as it was ──► the anchor's offset
 *   same boot, wall clock set ────────► the wall clock's offset; what waits moves along, so that it still waits as long
 *   another boot, or none is known ───► the wall clock's offset; what waits moves only if the clock is behind the newest time
 *
 * `agreed` is this process's own offset when it last compared: one whose wall clock differs from the others' moves the anchor
 * once, when it starts, and not with every transaction.
 */
export function decideTime(anchor: Anchor, look: Look, agreed: number | undefined): Decided {
  const ahead = look.offset - anchor.offset;
  const differs = Math.abs(ahead) > leastStep;
  const wasSet = agreed !== undefined && Math.abs(look.offset - agreed) > leastStep;
  const known = look.boot !== undefined && look.boot === anchor.boot;
  // Monotonic time that is behind what the same boot has given is not the same time, whatever its name says.
  const isShared = known && look.ms + anchor.offset >= anchor.newest - leastStep;
  if (isShared) {
    if (differs && (agreed === undefined || wasSet)) return { offset: look.offset, by: ahead, cause: "set" };
    return { offset: anchor.offset, by: 0, cause: undefined };
  }
  if (look.boot === undefined && anchor.boot === undefined) {
    if (!differs) return { offset: anchor.offset, by: 0, cause: undefined };
    // Without a boot's name only a process that counted by this anchor before knows that its clock was set.
    if (wasSet && Math.abs(anchor.offset - agreed) <= leastStep)
      return { offset: look.offset, by: ahead, cause: "set" };
  }
  const behind = Math.min(0, look.ms + look.offset - anchor.newest);
  const cause = agreed !== undefined ? "two_machines" : behind < -leastStep ? "restart" : undefined;
  return { offset: look.offset, by: behind, cause };
}

export function createSharedTime(database: Sqlite, clock: Clock): SharedTime {
  const read = rowsOf(database, "time/read-machine-time");
  const write = writeOf(database, "time/write-machine-time");
  const insertStep = writeOf(database, "time/insert-clock-step");
  const dropSteps = writeOf(database, "time/drop-clock-steps");
  const moves = ["move-leases", "move-pauses", "move-turns"].map((name) => writeOf(database, `time/${name}`));
  let agreed: number | undefined;
  let saidTwo = false;
  let pending: { readonly agreed: number; readonly step: ClockStep | undefined } | undefined;

  return {
    now(moved) {
      pending = undefined;
      const row = read.get() as [string | null, number, number] | undefined;
      const look = lookAt(clock, agreed ?? row?.[1]);
      if (!row) {
        const time = Math.floor(look.ms + look.offset);
        write.run(look.boot ?? null, look.offset, time);
        pending = { agreed: look.offset, step: undefined };
        return time;
      }
      const anchor: Anchor = { boot: row[0] ?? undefined, offset: row[1], newest: row[2] };
      const { offset, by, cause: found } = decideTime(anchor, look, agreed);
      const cause = found === "two_machines" && saidTwo ? undefined : found; // with two of them it is so each time
      const time = Math.floor(look.ms + offset);
      const by_ms = Math.round(by);
      if (by_ms !== 0) {
        for (const move of moves) move.run(move === moves[2] ? { by: by_ms } : by_ms);
        moved();
      }
      const step = cause === undefined ? undefined : { noticed_at: time, by_ms, cause };
      if (step) {
        insertStep.run(step.noticed_at, step.by_ms, step.cause);
        dropSteps.run();
      }
      if (offset !== anchor.offset || look.boot !== anchor.boot || time - anchor.newest > refreshMs)
        write.run(look.boot ?? null, offset, Math.max(time, offset === anchor.offset ? anchor.newest : time));
      const isNew = agreed === undefined || Math.abs(look.offset - agreed) > leastStep || step !== undefined;
      if (isNew) pending = { agreed: look.offset, step };
      return time;
    },
    committed() {
      if (!pending) return undefined;
      const { step } = pending;
      agreed = pending.agreed;
      saidTwo ||= step?.cause === "two_machines";
      pending = undefined;
      return step;
    },
  };
}

/** Both clocks at one instant. A process that is suspended in between would see a step that was not made: it looks again. */
function lookAt(clock: Clock, otherwise: number | undefined): Look {
  let after = clock.machine();
  let wall = clock.now();
  for (let attempt = 0; attempt < 10; attempt++) {
    const before = after;
    wall = clock.now();
    after = clock.machine();
    if (after.ms - before.ms <= mostBetween) return { ...after, offset: wall - after.ms };
  }
  return { ...after, offset: otherwise ?? wall - after.ms };
}
