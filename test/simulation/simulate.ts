import { type SchemaRegistry, shippedRegistry } from "#core/contracts";
import { createIds, ok, type Random, type RunId, sha256 } from "#core/values";
import { createKernel, type Documents, type Kernel, runConductor } from "#runs";
import { runWorker } from "../../src/runs/kernel/run-worker.ts";
import { createWakeUp, type WakeUp } from "../../src/runs/kernel/wake-up.ts";
import { createChance } from "./chance.ts";
import { drawFaults, type Faults, noFaults } from "./faults.ts";
import { createMachine } from "./machine.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import { createProcess, type SimProcess } from "./process.ts";
import { simApp } from "./sim-app.ts";
import { simHandlers } from "./sim-worker.ts";
import { createVirtualTime } from "./virtual-time.ts";

export interface SimulationOptions {
  readonly seed: number;
  readonly bug?: PlantedBug;
  readonly trace?: (line: string) => void;
}

export interface SimulationResult {
  readonly seed: number;
  readonly steps: number;
  readonly commits: number;
  readonly runs: number;
  /** What did not hold, and when; undefined when everything did. */
  readonly violation: string | undefined;
  /** The hash of every event of every run: the same seed gives the same one, byte for byte. */
  readonly digest: string;
}

const schemas: SchemaRegistry = shippedRegistry();
const limits = {
  maxRetries: 2,
  retryBackoffMs: 40,
  retryBackoffMaxMs: 300,
  turnFailureLimit: 6,
  turnBackoffMs: 40,
  turnBackoffMaxMs: 300,
};
const leaseMs = 300;
const chaosMs = 2_000;
const calmMs = 60_000;

/** One world from one seed: the real rules, store, loops and SQL; only time, chance and the wires are ours. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, bug } = options;
  const chance = createChance(seed);
  const time = createVirtualTime();
  let faults: Faults = drawFaults(chance);
  let calm = false;
  let violation: string | undefined;
  let steps = 0;
  const trace = (line: string): void => options.trace?.(`${String(time.now()).padStart(6)} ${line}`);
  const fail = (message: string): void => {
    violation ??= `at ${time.now()} ms, step ${steps}: ${message}`;
  };
  const crash = (process: SimProcess): void => {
    trace(`${process.name} crashes`);
    process.kill();
  };
  const machine = createMachine({ time, chance, faults: () => faults, limits, bug, crash, fail });
  const random: Random = { bytes: (count) => Uint8Array.from({ length: count }, () => chance.int(256)) };
  const documents = memoryDocuments();
  const crew = new Map<string, SimProcess>();
  const bells = new Map<SimProcess, WakeUp>();

  /** Starts a role, and again some time after it died: with the same name, as another incarnation. */
  const spawn = (name: string, role: (process: SimProcess, kernel: Kernel) => void): void => {
    const skew = faults.skewMs === 0 ? 0 : chance.between(-faults.skewMs, faults.skewMs);
    const process = createProcess(name, time, skew);
    crew.set(name, process);
    const bell = createWakeUp(process.clock);
    bells.set(process, bell);
    const wakeUp: WakeUp = {
      notify(wake) {
        for (const [other, ring] of bells) {
          if (other !== process && chance.hit(faults.lostWakeUp)) continue;
          if (other === process) ring.notify(wake);
          else other.after(chance.int(20), () => ring.notify(wake));
        }
      },
      listen(topics) {
        const listener = bell.listen(topics);
        return { ...listener, wait: (ms, signal) => listener.wait(bug?.noPolling ? 1e9 : ms, signal) };
      },
    };
    const kernel = createKernel({
      store: machine.storeFor(process),
      clock: process.clock,
      ids: createIds(process.clock, random),
      schemas,
      defer: (callback) => void process.after(0, callback),
      wakeUp,
      maxBatch: 20,
    });
    trace(`${name} starts`);
    process.onDeath(() => {
      bells.delete(process);
      time.at(time.now() + (calm ? 0 : chance.int(500)), () => spawn(name, role));
    });
    role(process, kernel);
  };

  const worker = (process: SimProcess, kernel: Kernel): void => {
    const end = new AbortController();
    const handlers = simHandlers({ chance, faults: () => faults, clock: process.clock });
    const options = { kernel, worker_id: process.name, handlers, signal: end.signal, clock: process.clock };
    void runWorker({ ...options, concurrency: 3, leaseMs, pollMs: 250, graceMs: 100 }).then(() => process.kill());
    if (chance.hit(0.2)) process.after(chance.int(2_000), () => end.abort()); // asked to end, in good order
  };
  const conductor = (process: SimProcess, kernel: Kernel): void => {
    const end = new AbortController();
    const apps = [simApp({ chance, faults: () => faults })];
    const options = { kernel, conductor_id: process.name, apps, documents, signal: end.signal, clock: process.clock };
    void runConductor({ ...options, concurrency: 2, turnLeaseMs: 250, turnTimeoutMs: 600, pollMs: 250, sweepMs: 300 });
  };
  const person = (process: SimProcess, kernel: Kernel): void => {
    const act = (): void => {
      if (!calm) process.after(chance.int(300), act);
      const runs = machine.runIds();
      const wish = chance.next();
      if (calm)
        for (const run_id of runs)
          void kernel.submit<"continue_run">({ kind: "continue_run", run_id, actor_id: "ada" });
      else if (runs.length < 3 && wish < 0.4)
        void kernel.startRun({ app_id: "sim", objective: `grow ${chance.between(1, 5)} parts`, actor_id: "ada" });
      else if (runs.length === 0) return;
      else if (wish < 0.85) submitPatch(kernel, chance.pick(runs));
      else if (wish < 0.92)
        void kernel.submit<"pause_run">({ kind: "pause_run", run_id: chance.pick(runs), actor_id: "ada" });
      else if (wish < 0.99)
        void kernel.submit<"continue_run">({ kind: "continue_run", run_id: chance.pick(runs), actor_id: "ada" });
      else void kernel.submit<"cancel_run">({ kind: "cancel_run", run_id: chance.pick(runs), actor_id: "ada" });
      if (calm) process.after(500, act); // until every pause is lifted: a command may have been lost
    };
    act();
  };
  const submitPatch = (kernel: Kernel, run_id: RunId): void => {
    const patch_id = kernel.ids.patchId();
    const ops = [{ op: "text.edit", find: "a", replace: "b" }];
    const say = () =>
      kernel.submitPatch({ run_id, author_kind: "user", author_id: "ada", base_revision_id: null, ops, patch_id });
    const insist = async (): Promise<void> => {
      const answer = await say();
      if (!answer.ok && answer.error.retryable) await say(); // the same patch, said again
    };
    void insist();
  };
  const misfortune = (): void => {
    if (calm) return;
    time.at(time.now() + chance.between(50, 250), misfortune);
    const victim = chance.pick([...crew.values()]);
    if (chance.hit(faults.crash)) crash(victim);
    else if (chance.hit(faults.pause)) {
      trace(`${victim.name} is paused`);
      victim.pause(chance.between(50, 700));
    } else if (chance.hit(faults.clockJump)) {
      trace("the clock jumps");
      machine.jumpClock(chance.between(-600, 600));
    } else if (chance.hit(faults.powerLoss)) {
      trace("the power goes");
      for (const process of crew.values()) process.kill();
      machine.losePower();
    }
  };

  for (const name of ["worker-1", "worker-2"]) spawn(name, worker);
  for (const name of ["conductor-1", "conductor-2"]) spawn(name, conductor);
  spawn("person", person);
  misfortune();
  while (violation === undefined && (await time.step(chaosMs))) steps += 1;
  calm = true;
  faults = noFaults;
  trace("the faults end");
  spawn("helper", person);
  while (violation === undefined && (steps % 10 !== 0 || machine.openRuns() > 0) && (await time.step(chaosMs + calmMs)))
    steps += 1;
  if (violation === undefined && machine.openRuns() > 0)
    fail(`${machine.openRuns()} run(s) never end though nothing is wrong any more`);
  if (violation === undefined) {
    try {
      machine.checker.checkAcknowledged();
    } catch (thrown) {
      fail((thrown as Error).message);
    }
  }
  const events = machine.database().prepare("SELECT * FROM event_log ORDER BY run_id, seq").raw().all();
  return {
    seed,
    steps,
    commits: machine.checker.commits,
    runs: machine.runIds().length,
    violation,
    digest: sha256(JSON.stringify(events)),
  };
}

function memoryDocuments(): Documents {
  const kept = new Map<string, Uint8Array>();
  return {
    async put(content) {
      const hash = sha256(content);
      kept.set(hash, Buffer.from(content));
      return ok({ sha256: hash });
    },
    get: (hash) => Promise.resolve(ok(kept.get(hash) ?? new Uint8Array())),
    has: (hash) => Promise.resolve(ok(kept.has(hash))),
  };
}
