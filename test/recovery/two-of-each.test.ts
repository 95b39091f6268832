// Two servers, two conductors and four workers on one PostgreSQL, on two machines: each half has a folder of its own and
// nothing in common with the other but the database. One of each is killed under load and started again. Whatever was
// accepted, by whichever server, comes to its end, and any machine can say so.

import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fraction, seededRandom, sleep, systemClock, systemRandom } from "#core/values";
import { openKernel } from "../../src/runs/open-kernel.ts";
import { bareEnvironment } from "../support/bare-environment.ts";
import { built } from "../support/built.ts";
import { type CountingModel, countingModel } from "../support/counting-model.ts";
import { must } from "../support/kernel-harness.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";
import { contractOf, scriptedMind } from "../support/scripted-mind.ts";
import { type Served, served } from "../support/served.ts";
import { repository, writJson } from "../support/writ.ts";

const campaign = process.env["WRIT_CAMPAIGN"] === "1";
/** How often one of each is killed, and how many orders come in between. */
const rounds = campaign ? 20 : 1;
const ordersInRound = campaign ? 60 : 24;
const leaseSeconds = 4;
const random = seededRandom(20_261_115);
/** The contracts under which the writer and its workers ask. */
const ofTheWriter = /^PRC-(OUTLINE|RESEARCH|EDITORIAL|SUMMARY)/;

let model: CountingModel;
let home: TestWorkspace;
let elsewhere: string;
let key: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  built();
  model = await countingModel(async (messages) => {
    await sleep(systemClock, 400 + fraction(random) * 800); // so that orders are under way when somebody dies
    const contract = contractOf(messages);
    return ofTheWriter.test(contract) ? scriptedMind(messages) : { text: "Hello, Ada" };
  });
  home = await testWorkspace({
    config: {
      store: await freshDatabase(),
      provider: "openai-compatible",
      model: "m",
      base_url: model.baseUrl,
      max_output_tokens: 1_000, // a call that dies counts whole, and the order has to pay for it again
      limits: { writer_lease_seconds: leaseSeconds },
      identity: { callers: { "ada@corp": { roles: ["admin"] } } },
      server: { requests_per_second: 1_000, burst: 1_000 },
    },
    files: { "notes/honey.md": "# Honey\n\nBees make honey from nectar. A hive gives twenty kilograms of honey.\n" },
  });
  const made = await home.runtime.keys.create(must(home.runtime.localCaller()), { caller_id: "ada@corp" });
  key = must(made).key;
  elsewhere = mkdtempSync(join(tmpdir(), "writ-elsewhere-"));
  cpSync(home.root, elsewhere, { recursive: true });
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await model[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
  rmSync(elsewhere, { recursive: true, force: true, maxRetries: 5 });
});

/** What one machine runs, and how it is killed and started again. */
class Machine {
  readonly #root: string;
  #server: Served | undefined;
  #conductor: ChildProcess | undefined;
  #workers: ChildProcess[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  get url(): string {
    return this.#server?.url ?? "http://127.0.0.1:1";
  }

  async start(): Promise<void> {
    this.#conductor ??= this.#spawn("conductor", "--app", "writer");
    while (this.#workers.length < 2) this.#workers.push(this.#spawn("worker", "--capability", "research"));
    if (this.#server) return;
    this.#server = await served(["serve"], this.#root);
    children.add(this.#server.child);
  }

  /** The server, the conductor and one of the workers, as by a power cut. */
  async kill(): Promise<void> {
    this.#conductor?.kill("SIGKILL");
    this.#conductor = undefined;
    this.#workers.pop()?.kill("SIGKILL");
    const server = this.#server;
    this.#server = undefined;
    await server?.end("SIGKILL");
  }

  async end(): Promise<void> {
    for (const child of [this.#conductor, ...this.#workers]) child?.kill("SIGTERM");
    await this.#server?.end("SIGTERM");
  }

  #spawn(...args: string[]): ChildProcess {
    const all = [`${repository}bin/writ.js`, ...args, "--lease", String(leaseSeconds), "--root", this.#root];
    const child = spawn(process.execPath, all, { env: bareEnvironment(), stdio: ["ignore", "ignore", "ignore"] });
    children.add(child);
    return child;
  }
}

const ask = (url: string, path: string, init: RequestInit = {}) =>
  fetch(`${url}/api/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...init.headers },
    signal: AbortSignal.timeout(20_000),
  });

/** As a client does it: under one key, at whichever server answers, until one has accepted it. */
async function submit(machines: readonly Machine[], path: string, name: string, body: object) {
  let last = "";
  for (let attempt = 0; attempt < 40; attempt++) {
    try {
      const { url } = machines[attempt % machines.length] as Machine;
      const answer = await ask(url, path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "idempotency-key": name },
      });
      const said = (await answer.json()) as Record<string, unknown>;
      if (answer.ok) return said;
      last = `${answer.status} ${JSON.stringify(said)}`;
      expect([409, 429, 503, 500], last).toContain(answer.status); // anything else says: do not try again
    } catch (thrown) {
      if (!(thrown instanceof TypeError) && (thrown as Error).name !== "TimeoutError") throw thrown;
      last = String(thrown); // nobody listens there just now
    }
    await sleep(systemClock, 250);
  }
  throw new Error(`${name} was never accepted: ${last}`);
}

async function until<T>(seconds: number, look: () => Promise<T | undefined>, told: () => Promise<string>): Promise<T> {
  const late = systemClock.monotonic() + seconds * 1_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (systemClock.monotonic() > late) throw new Error(await told());
    await sleep(systemClock, 150);
  }
}

test(
  "one of each is killed under load and started again: no accepted request is lost",
  async () => {
    const machines = [new Machine(home.root), new Machine(elsewhere)] as const;
    await Promise.all(machines.map((machine) => machine.start()));
    const [first, second] = machines;
    const accepted = new Map<string, string>();
    const runs: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const [victim, survivor] = round % 2 === 0 ? [first, second] : [second, first];
      const open = async (objective: string) => {
        const { run } = (await submit([victim, survivor], "/runs", `run-${round}-${runs.length}-${objective.length}`, {
          app_id: "writer",
          objective,
        })) as { run: { run_id: string } };
        runs.push(run.run_id);
      };
      const order = async (at: readonly Machine[]) => {
        const work_order = workOrder();
        const id = String(work_order["work_order_id"]);
        const { session_id } = await submit(at, "/flows", id, { work_order });
        accepted.set(id, String(session_id));
      };
      const before = accepted.size;
      const load: Promise<unknown>[] = [];
      const begin = (work: Promise<unknown>) => load.push(work.catch((thrown: unknown) => thrown)); // told at the end
      begin(open("What is honey"));
      for (let index = 0; index < ordersInRound; index++) {
        begin(order(index % 2 === 0 ? [victim, survivor] : [survivor, victim]));
        if (index === ordersInRound / 2) {
          await until(
            60,
            async () => accepted.size >= before + 4 || undefined,
            async () => "nothing is accepted",
          );
          await victim.kill();
        }
        if (index === Math.floor((ordersInRound * 3) / 4))
          for (const work of [victim.start(), open("What is a hive")]) begin(work);
        await sleep(systemClock, 100);
      }
      expect((await Promise.all(load)).filter((thrown) => thrown instanceof Error)).toEqual([]);
    }
    expect(accepted.size).toBe(rounds * ordersInRound);

    const ended = async (id: string) => {
      const found = await ask(second.url, `/work-orders/${id}`);
      const { state, result } = (await found.json()) as { state?: string; result?: { status: string } };
      return state === "done" ? result : undefined;
    };
    for (const [id, session_id] of accepted) {
      const result = await until(
        90,
        () => ended(id),
        async () => {
          const events = await ask(second.url, `/sessions/${session_id}/events?limit=100`);
          return `${id} does not end: ${await events.text()}`;
        },
      );
      expect(result, `${id}: ${JSON.stringify(result)}`).toMatchObject({ status: "success", session_id });
    }
    const { kernel, close } = must(
      await openKernel({ root: elsewhere, clock: systemClock, random: systemRandom, env: {} }),
    );
    for (const run_id of runs) {
      const run = await until(
        90,
        async () => {
          const found = must(await kernel.read.run(run_id as never));
          return found.status === "closed" ? found : undefined;
        },
        async () => JSON.stringify(must(await kernel.read.workItems(run_id as never))),
      );
      expect(run.close_reason, run.close_message).toBe("completed");
    }
    await close();
    await Promise.all(machines.map((machine) => machine.end()));

    // Where they were accepted and where they ended does not matter to whoever wants to know whether the record is whole.
    for (const cwd of [home.root, elsewhere]) {
      const verified = await writJson<{ ok: boolean }>(["session", "verify", "--all"], { cwd });
      expect(verified.json, JSON.stringify(verified.json)).toMatchObject({ ok: true });
    }
  },
  campaign ? 30 * 60_000 : 600_000,
);
