import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSqlite } from "#core/database";
import { type Clock, createIds, type Result, seededRandom } from "#core/values";
import { type ManualClock, manualClock } from "../../../../core/values/manual-clock.ts";
import type { Command } from "../../commands.ts";
import type { Lease } from "../../records.ts";
import type { KernelStore } from "../port.ts";
import { openSqliteKernel } from "./open.ts";
import type { ClockStep } from "./say-clock-step.ts";

const minute = 60_000;
const hour = 60 * minute;

interface Process {
  readonly store: KernelStore;
  readonly steps: ClockStep[];
  say<T>(command: Command): Promise<T>;
  refusal(command: Command): Promise<string>;
}

interface House {
  readonly clock: ManualClock;
  readonly file: string;
  /** A process with this clock; by default that of the machine. */
  open(own?: Partial<Clock>): Process;
  /** Requests an item and leases it for a minute. */
  lease(worker: Process): Promise<Lease>;
  events(): Promise<readonly string[]>;
}

async function house(): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), "writ-time-"));
  const opened: KernelStore[] = [];
  onTestFinished(async () => {
    for (const store of opened) await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const clock = manualClock();
  const file = join(folder, "kernel.db");
  const ids = createIds(clock, seededRandom(1));
  const run_id = ids.runId();
  const open = (own: Partial<Clock> = {}): Process => {
    const steps: ClockStep[] = [];
    const store = openSqliteKernel(file, { clock: { ...clock, ...own }, onClockStep: (step) => steps.push(step) });
    if (!store.ok) throw new Error(store.error.message);
    opened.push(store.value);
    const commit = async (command: Command): Promise<Result<unknown>> => {
      const report = await store.value.commit([command]);
      const [result] = report.ok ? report.value.results : [report];
      if (!result) throw new Error("no answer");
      return result;
    };
    return {
      store: store.value,
      steps,
      async say<T>(command: Command) {
        const result = await commit(command);
        if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
        return result.value as T;
      },
      async refusal(command) {
        const result = await commit(command);
        return result.ok ? "ok" : result.error.code;
      },
    };
  };
  const first = open();
  await first.say({ kind: "start_run", run_id, app_id: "demo", objective: "o", actor_id: "ada" });
  return {
    clock,
    file,
    open,
    async lease(worker) {
      const work = { work_id: ids.workId(), capability: "c", objective: "o", depends_on: [], idempotency_key: null };
      await worker.say({ kind: "request_work", run_id, actor_id: "demo", work: [work] });
      return (await worker.say<readonly Lease[]>(claim))[0] as Lease;
    },
    async events() {
      const events = await first.store.read.events(run_id, { after: 0, limit: 1_000 });
      return events.ok ? events.value.map(({ event_type }) => event_type) : [];
    },
  };
}

const claim = { kind: "claim_work", capabilities: ["c"], limit: 1, lease_owner: "w", lease_ms: minute } as const;
const sweep = { kind: "sweep", limit: 9 } as const;
const complete = (lease: Lease): Command => ({ kind: "complete_work", lease, patches: [] });

for (const [way, by] of [
  ["forward", hour],
  ["back", -hour],
] as const)
  test(`a wall clock that is set ${way} takes no lease away, prolongs none, and is said once`, async () => {
    const { clock, open, lease, events } = await house();
    const [worker, sweeper] = [open(), open()];
    const kept = await lease(worker);
    const dead = await lease(worker);
    clock.advance(20_000);
    clock.jump(clock.now() + by);
    expect(await sweeper.say(sweep)).toEqual({ expired: 0 });
    await worker.say({ kind: "extend_lease", lease: kept, lease_ms: minute });
    clock.advance(40_001);
    expect(await sweeper.say(sweep)).toEqual({ expired: 1 }); // a minute after it was given, whatever the wall clock says
    expect(await worker.refusal(complete(dead))).toBe("LEASE_LOST");
    await worker.say(complete(kept));
    expect(sweeper.steps).toMatchObject([{ by_ms: by, cause: "set" }]);
    expect(worker.steps).toEqual([]);
    expect((await events()).filter((type) => type === "work.requeued")).toHaveLength(1);
  });

test("the pause before another try lasts as long when the clock is set back; a time of the calendar stays", async () => {
  const { clock, open, lease } = await house();
  const worker = open();
  await lease(worker);
  clock.advance(minute);
  await worker.say(sweep); // requeued, after a pause of a second
  const [item] = ((await worker.store.read.runs({ limit: 1 })) as { value: readonly { run_id: string }[] }).value;
  const run_id = item?.run_id as Lease["run_id"];
  const at = clock.now() + 2 * hour;
  const asked = { capability: "later", objective: "o", depends_on: [], idempotency_key: null, not_before: at };
  const work_id = createIds(clock, seededRandom(7)).workId();
  await worker.say({ kind: "request_work", run_id, actor_id: "demo", work: [{ ...asked, work_id }] });
  clock.jump(clock.now() - hour);
  clock.advance(2_000);
  expect(await worker.say<readonly Lease[]>(claim)).toHaveLength(1);
  const later = { ...claim, capabilities: ["later"] };
  clock.jump(at - 1);
  expect(await worker.say<readonly Lease[]>(later)).toHaveLength(0);
  clock.advance(1);
  expect(await worker.say<readonly Lease[]>(later)).toHaveLength(1);
});

test("an app's turn is due and expires by the same time", async () => {
  const { clock, open } = await house();
  const conductor = open();
  clock.jump(clock.now() - hour); // the run began an hour later than it is now
  const turns = { kind: "claim_turn", app_ids: ["demo"], turn_owner: "c", turn_ms: minute, limit: 1 } as const;
  expect(await conductor.say<readonly unknown[]>(turns)).toHaveLength(1);
  clock.jump(clock.now() + 3 * hour);
  const other = open();
  expect(await other.say<readonly unknown[]>(turns)).toEqual([]);
  clock.advance(minute);
  expect(await other.say<readonly unknown[]>(turns)).toEqual([]); // the turn failed, and waits for its pause
  clock.advance(minute);
  expect(await other.say<readonly unknown[]>(turns)).toHaveLength(1);
});

test("a process whose wall clock is ten minutes ahead takes nothing from the others, and moves the time once, when it starts", async () => {
  const { clock, open, lease } = await house();
  const worker = open();
  const leases = [await lease(worker), await lease(worker)];
  const ahead = open({ now: () => clock.now() + 10 * minute });
  const behind = open({ now: () => clock.now() - 10 * minute });
  for (const each of [ahead, behind, ahead, worker, behind, ahead])
    expect(await each.say(sweep)).toEqual({ expired: 0 });
  expect([ahead.steps.length, behind.steps.length, worker.steps.length]).toEqual([1, 1, 0]);
  for (const held of leases) await worker.say(complete(held));
});

test("after a restart a lease ends by the wall clock; one that was set back while the machine was off prolongs none", async () => {
  const { clock, open, lease, events } = await house();
  await lease(open());
  clock.reboot();
  clock.advance(61_000);
  const next = open();
  expect(await next.say(sweep)).toEqual({ expired: 1 });
  expect(next.steps).toEqual([]);
  clock.advance(2 * minute); // its pause is over
  await lease(next);
  clock.reboot();
  clock.jump(Date.UTC(2000, 0, 1)); // an empty battery
  const last = open();
  expect(await last.say(sweep)).toEqual({ expired: 0 });
  expect(last.steps).toMatchObject([{ cause: "restart" }]);
  clock.advance(3 * minute); // what was left of the minute, and the time that the anchor is behind
  expect(await last.say(sweep)).toEqual({ expired: 1 });
  expect((await events()).filter((type) => type === "work.requeued")).toHaveLength(2);
});

test("where no boot has a name, a process still notices that its clock was set", async () => {
  const { clock, open, lease } = await house();
  const machine = () => ({ ...clock.machine(), boot: undefined });
  const [worker, other] = [open({ machine }), open({ machine })];
  const held = await lease(worker);
  await other.say(sweep);
  clock.jump(clock.now() + hour);
  expect(await other.say(sweep)).toEqual({ expired: 0 });
  await worker.say(complete(held));
  expect([...other.steps, ...worker.steps]).toMatchObject([{ by_ms: hour, cause: "set" }]);
});

test("containers with boots of their own count by their wall clocks, and it is said once by each", async () => {
  const { clock, open, lease } = await house();
  const one = open({ machine: () => ({ boot: "one", ms: clock.monotonic() + 5_000_000 }) });
  const two = open({ machine: () => ({ boot: "two", ms: clock.monotonic() + 7 }) });
  const unnamed = [1_000, 9e9].map((ms) =>
    open({ machine: () => ({ boot: undefined, ms: clock.monotonic() + ms }) }),
  ) as [Process, Process];
  const held = await lease(one);
  for (const each of [two, ...unnamed, one, two, ...unnamed, one, two])
    expect(await each.say(sweep)).toEqual({ expired: 0 });
  clock.advance(minute - 1);
  expect(await two.say(sweep)).toEqual({ expired: 0 });
  clock.advance(1);
  expect(await unnamed[1].say(sweep)).toEqual({ expired: 1 });
  expect(await one.refusal(complete(held))).toBe("LEASE_LOST");
  for (const { steps } of [one, two, ...unnamed])
    expect(steps.filter(({ cause }) => cause === "two_machines")).toHaveLength(1);
});

test("a process that is suspended between its two readings sees no step", async () => {
  const { clock, open, lease } = await house();
  const held = await lease(open());
  let suspended = 0;
  const worker = open({
    now() {
      const now = clock.now();
      if (suspended-- > 0) clock.advance(2_000); // between the wall clock and the other
      return now;
    },
  });
  await worker.say(sweep);
  suspended = 3;
  await worker.say({ kind: "extend_lease", lease: held, lease_ms: minute });
  expect(worker.steps).toEqual([]);
});

test("what is rolled back is noticed again", async () => {
  const { clock, file, open, lease } = await house();
  const worker = open();
  const held = await lease(worker);
  const lock = openSqlite(file);
  if (!lock.ok) throw new Error(lock.error.message);
  lock.value.exec("CREATE TRIGGER no_step BEFORE INSERT ON clock_step BEGIN SELECT RAISE(ABORT, 'not now'); END");
  clock.jump(clock.now() + hour);
  expect(await worker.refusal(sweep)).not.toBe("ok");
  lock.value.exec("DROP TRIGGER no_step");
  lock.value.close();
  expect(await worker.say(sweep)).toEqual({ expired: 0 });
  expect(worker.steps).toHaveLength(1);
  await worker.say(complete(held));
});
