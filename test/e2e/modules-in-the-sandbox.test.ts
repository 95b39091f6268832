// Modules that the workspace's files name: hooks, apps and workers. What they see, what they reach, and which record says where they ran.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "#core/values";
import { bareEnvironment } from "../support/bare-environment.ts";
import { writ, writJson } from "../support/resident-writ.ts";
import { repository } from "../support/writ.ts";

// Not below /tmp: there every program in a sandbox has a scratch folder of its own, and may write.
const place = mkdtempSync("/var/tmp/writ-modules-");
const cwd = join(place, "workspace");
const owned = join(place, "owned");
const put = (path: string, text: string) => {
  mkdirSync(join(cwd, path, ".."), { recursive: true });
  writeFileSync(join(cwd, path), text);
};
const config = (document: object) => put("writ.yaml", JSON.stringify({ version: 1, ...document }));
const contacts: string[] = [];
let listener: Server;
let port = 0;
const children: ChildProcess[] = [];

/** Tries every way out that a module of a program on this machine would have, and names those that it found. */
const attempts = () => `import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { connect } from "node:net";
export async function attempts() {
  const found = [];
  const attempt = (name, act) => { try { if (act() !== false) found.push(name); } catch {} };
  attempt("read outside", () => readFileSync(${JSON.stringify(join(place, "secret"))}));
  attempt("write outside", () => writeFileSync(${JSON.stringify(owned)}, "x"));
  attempt("program outside", () => execFileSync("/bin/sh", ["-c", ${JSON.stringify(`echo x > ${owned} 2>/dev/null`)}]));
  attempt("read workspace", () => readFileSync(${JSON.stringify(join(cwd, "notes/private.md"))}));
  attempt("keys", () => readdirSync(${JSON.stringify(join(cwd, "planes"))}).length > 0);
  attempt("home", () => readdirSync("/root").length > 0);
  attempt("environment", () => process.env.WRIT_CANARY !== undefined);
  attempt("other processes", () => readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name)).length > 8);
  attempt("writ", () => typeof globalThis.writ !== "undefined" || process.argv.some((word) => word.includes("writ.js")));
  writeFileSync(${JSON.stringify(join(cwd, "planted.md"))}, "x"); // into its own layer, which is dropped
  await new Promise((resolve) => connect(${port}, "127.0.0.1").on("connect", () => { found.push("network"); resolve(); }).on("error", resolve));
  return found;
}
`;

const app = (more = "") => `import { attempts } from "./attempts.mjs";
export const app = {
  app_id: "trier",
  async turn(input, { read, documents, run_id }) {
    const items = await read.workItems(run_id);
    if (!items.ok) throw new Error(items.error.message);
    if (items.value.length === 0) {
      const kept = await documents.put(new Uint8Array([1, 2, 3]));
      const again = await documents.get(kept.value.sha256);
      const objective = JSON.stringify([...(await attempts()), "kept " + again.value.join()${more}]);
      return { actions: [{ type: "request_work", capability: "try", objective, depends_on: [], idempotency_key: "try" }] };
    }
    if (input.open_work_summary.length > 0) return { actions: [{ type: "noop" }] };
    return { actions: [{ type: "close_run", reason: "completed", message: "tried" }] };
  },
};
`;
const worker = `import { attempts } from "./attempts.mjs";
export const handlers = {
  async try(lease, { signal }) {
    console.log("printed by the worker");
    signal.throwIfAborted();
    return { status: "completed", result: { found: await attempts(), pid: process.pid } };
  },
};
`;

beforeAll(async () => {
  listener = createServer((socket) => {
    contacts.push("contact");
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", () => resolve()));
  const address = listener.address();
  port = typeof address === "object" && address ? address.port : 0;
  writeFileSync(join(place, "secret"), "the secret");
  await writ(["init", cwd]);
  put("notes/private.md", "private");
  for (const folder of ["hooks/", ""]) put(`${folder}attempts.mjs`, attempts());
  put(
    "hooks/try.mjs",
    'import { attempts } from "./attempts.mjs";\nexport default async () => ({ decision: "deny", reason: "found " + JSON.stringify(await attempts()) });\n',
  );
  put("app.mjs", app());
  put("worker.mjs", worker);
});
afterEach(async () => {
  for (const child of children.splice(0)) await ended(child);
});
afterAll(async () => {
  await new Promise((resolve) => listener.close(resolve));
  rmSync(place, { recursive: true, force: true });
});

function ended(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const over = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGINT");
  return over;
}

/** A command that serves until the test ends, and what it printed until then. */
function serving(...args: string[]) {
  const child = spawn(process.execPath, [`${repository}bin/writ.js`, ...args], {
    cwd,
    env: { ...bareEnvironment(), WRIT_CANARY: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
  return said;
}

interface RunEvent {
  readonly event_type: string;
  readonly payload: { readonly tier?: string; readonly result?: { readonly found: readonly string[] } };
}

async function runToItsEnd() {
  const [conducting, working] = [
    serving("conductor", "--app", "./app.mjs"),
    serving("worker", "--module", "./worker.mjs"),
  ];
  const started = await writJson<{ run: { run_id: string } }>(
    ["runs", "start", "--app", "./app.mjs", "--objective", "try"],
    { cwd },
  );
  const run = started.json.run.run_id;
  const watched = await writ(["runs", "watch", run], { cwd });
  const said = watched.stdout + watched.stderr + conducting.stderr + working.stderr;
  const { json } = await writJson<{ events: readonly RunEvent[] }>(["runs", "events", run], { cwd });
  const shown = await writJson<{ work_items: readonly { readonly objective: string }[] }>(["runs", "show", run], {
    cwd,
  });
  return { said, events: json.events, objective: shown.json.work_items[0]?.objective ?? "", conducting, working };
}

const untouched = () => {
  expect(existsSync(owned)).toBe(false);
  expect(existsSync(join(cwd, "planted.md"))).toBe(false);
  expect(contacts).toEqual([]);
};

interface Asked {
  readonly reason: string;
  readonly handler: { readonly tier?: string };
  /** What the record of the session says of weaker tiers. */
  readonly isolation: string | undefined;
}

async function asked(): Promise<Asked> {
  const { json } = await writJson<{ session_id: string }>(["run", "greet Ada"], { cwd, env: { WRIT_CANARY: "1" } });
  const { stdout } = await writ(["session", "events", json.session_id, "--json"], { cwd });
  const { events } = JSON.parse(stdout) as {
    events: {
      type: string;
      payload: { point: string; isolation?: string; handlers: { id: string; tier?: string; reason: string }[] };
    }[];
  };
  const handler = events
    .filter(({ type, payload }) => type === "hook.fired" && payload.point === "PreToolUse")
    .flatMap(({ payload }) => payload.handlers)
    .find(({ id }) => id === "hooks/try.mjs");
  const isolation = events.find(({ type }) => type === "session.start")?.payload.isolation;
  return { reason: handler?.reason ?? stdout, handler: handler ?? {}, isolation };
}

describe("a hook that is a module", () => {
  const hooks = (rights: object = {}) => ({
    PreToolUse: [{ hooks: [{ type: "module", module: "hooks/try.mjs", rights }] }],
  });

  test("reads, writes and reaches nothing, and the record names its isolation", async () => {
    config({ hooks: hooks() });
    const { reason, handler, isolation } = await asked();
    expect(isolation).toBeUndefined();
    expect(reason).toBe("found []");
    expect(handler).toMatchObject({ tier: "T3" });
    untouched();
  });

  test("gets what its rights name, and nothing else", async () => {
    config({ hooks: hooks({ read: ["notes/**", join(place, "secret")] }) });
    expect((await asked()).reason).toBe('found ["read outside","read workspace"]');
    untouched();
  });

  test("runs without a sandbox only by name, and the record of the session and of the hook says so", async () => {
    const secrets = { TOKEN: { command: ["vault/print.sh"], rights: { tier: "T2" } } };
    config({ hooks: hooks({ tier: "T1" }), secrets });
    const { reason, handler, isolation } = await asked();
    expect(isolation).toBe("secrets.TOKEN T2, hooks.PreToolUse[0].hooks[0] T1");
    expect(reason).toContain("read outside");
    expect(reason).not.toContain("environment"); // its environment is its own all the same
    expect(handler).toMatchObject({ tier: "T1" });
    rmSync(owned, { force: true });
    rmSync(join(cwd, "planted.md"), { force: true });
    contacts.length = 0;
  });
});

describe("an app and a worker", () => {
  test("read, write and reach nothing but what they are handed, and the run's history names their isolation", async () => {
    config({});
    const { said, events, objective, working } = await runToItsEnd();
    expect(objective, said).toBe('["kept 1,2,3"]');
    const result = events.find(({ event_type }) => event_type === "work.completed")?.payload.result;
    expect(result, said).toMatchObject({ found: [] });
    const tiers = (type: string) => [
      ...new Set(events.filter(({ event_type }) => event_type === type).map(({ payload }) => payload.tier)),
    ];
    expect([tiers("app.turn.started"), tiers("work.leased")]).toEqual([["T3"], ["T3"]]);
    expect(working.stderr).toContain("printed by the worker"); // for the person at its terminal
    expect(working.stdout).toBe("");
    untouched();
  });

  test("run without a sandbox only by name, and every turn and lease says so", async () => {
    const rights = { rights: { tier: "T1" } };
    config({ modules: { "app.mjs": rights, "./worker.mjs": rights } });
    const { said, events, objective } = await runToItsEnd();
    expect(objective, said).toContain("read outside");
    const tiers = events
      .filter(({ event_type }) => /app.turn.started|work.leased/.test(event_type))
      .map(({ payload }) => payload.tier);
    expect(new Set(tiers)).toEqual(new Set(["T1"]));
    rmSync(owned, { force: true });
    rmSync(join(cwd, "planted.md"), { force: true });
    contacts.length = 0;
  });

  test("run as they were agreed to, whatever an agent writes to them; written by an agent first, not at all", async () => {
    config({});
    const write = (path: string, content: string) => {
      const file = join(cwd, path);
      const expected_hash = existsSync(file) ? sha256(readFileSync(file)) : "";
      const args = JSON.stringify({ path, content, expected_hash, why: "an agent wants it" });
      return writ(["tool", "call", "fs.write", args, "--allow", "**", path], { cwd });
    };
    const before = readFileSync(join(cwd, "attempts.mjs"), "utf8");
    const sly = 'export const attempts = async () => ["owned"];\n';
    expect(await write("attempts.mjs", sly)).toMatchObject({ status: 0 });
    const { said, events, objective } = await runToItsEnd();
    expect(objective, said).toBe('["kept 1,2,3"]');
    expect(events.find(({ event_type }) => event_type === "work.completed")?.payload.result).toMatchObject({
      found: [],
    });
    expect(said).toContain("attempts.mjs was written by an agent");

    expect(await write("fresh.mjs", worker)).toMatchObject({ status: 0 });
    const refused = await writ(["worker", "--module", "./fresh.mjs"], { cwd });
    expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining("which an agent wrote") });
    // Agreeing to what the workspace names says nothing about a file that it does not name, and the message says how it would.
    put("attempts.mjs", before);
    config({ modules: { "worker.mjs": {} } });
    expect(await writ(["trust", "--yes"], { cwd })).toMatchObject({ status: 0 });
    const again = await writ(["worker", "--module", "./fresh.mjs"], { cwd });
    expect(again).toMatchObject({ status: 3, stderr: expect.stringContaining("under `modules` in writ.yaml") });
    config({ modules: { "fresh.mjs": {} } });
    const shown = await writ(["trust", "--show"], { cwd });
    expect(shown.stdout).toContain("fresh.mjs");
    expect(await writ(["trust", "--yes"], { cwd })).toMatchObject({ status: 0 });
    const loaded = await writ(["worker", "--module", "./fresh.mjs", "--capability", "other"], { cwd });
    expect(loaded.stderr).toContain("there are try");
  });

  test("a module that misses a package or a file says by which line it gets it", async () => {
    put("node_modules/words/package.json", '{ "name": "words", "type": "module", "main": "index.js" }');
    put("node_modules/words/index.js", "export const word = 1;\n");
    put("needs.mjs", 'import { word } from "words";\nexport const handlers = { [`try${word}`]: async () => null };\n');
    config({});
    const refused = await writ(["worker", "--module", "./needs.mjs", "--capability", "other"], { cwd });
    expect(refused).toMatchObject({ status: 2 });
    expect(refused.stderr).toContain("Cannot find package 'words'");
    expect(refused.stderr).toContain('`rights: { code: […], read: […], hosts: […] }` under modules["needs.mjs"]');
    config({ modules: { "needs.mjs": { rights: { code: ["node_modules/"] } } } });
    const loaded = await writ(["worker", "--module", "./needs.mjs", "--capability", "other"], { cwd });
    expect(loaded.stderr).toContain("there are try1");
  });

  test("no module writes in the workspace, whatever its rights", async () => {
    config({ modules: { "worker.mjs": { rights: { write: ["notes/**"] } } } });
    const refused = await writ(["worker", "--module", "./worker.mjs"], { cwd });
    expect(refused.stderr).toContain("CONFIG_INVALID");
    expect(refused.stderr).toContain("it answers with patches");
  });
});
