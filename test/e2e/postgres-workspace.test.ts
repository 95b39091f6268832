// A workspace whose state is in PostgreSQL, as a person and as several processes see it.

import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { built } from "../support/built.ts";
import { cli } from "../support/fresh-cli.ts";
import { freshDatabase } from "../support/postgres/shared-server.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";
import { writ, writJson } from "../support/writ.ts";

let url: string;
let workspace: TestWorkspace;
let session: string;
beforeAll(async () => {
  built();
  url = await freshDatabase();
  workspace = await testWorkspace({ config: { store: url, workspace_budget: { token_limit: 10_000_000 } } });
  session = (await workspace.ask("greet Ada")).session_id ?? "";
});
afterAll(() => workspace[Symbol.asyncDispose]());

const run = (...args: string[]) => writ(args, { cwd: workspace.root });

async function inDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

test("records its sessions there and nowhere else", async () => {
  const events = await workspace.events(session);
  expect(events.at(0)?.type).toBe("session.start");
  expect(events.at(-1)?.type).toBe("session.close");
  expect(existsSync(join(workspace.root, "planes/ho1/sessions", session, ".events.jsonl"))).toBe(false);
  expect(existsSync(join(workspace.root, "planes/hot/store.db"))).toBe(false);
  expect((await cli(workspace.root, "session", "list", "--json")).text).toContain(session);
  // Read as they are printed, while the connection is there.
  const printed = JSON.parse((await cli(workspace.root, "session", "events", session, "--json")).text) as object;
  expect(printed).toMatchObject({ events: { length: events.length } });
  expect((await cli(workspace.root, "session", "show", session)).text).toContain(`${events.length} events`);
});

test("an order acts once, whichever machine it is submitted to", async () => {
  const elsewhere = await testWorkspace({ config: { store: url } });
  const order = workOrder({ work_order_id: "WO-20261115-777", input: { prompt: "Say hello to Bob" } });
  const [here, there] = await Promise.all([
    workspace.runtime.runFlow({ work_order: order, caller_id: workspace.runtime.caller }),
    workspace.runtime.runFlow({ work_order: { ...order }, caller_id: workspace.runtime.caller }),
  ]);
  expect([here.status, there.status]).toEqual(["success", "success"]);
  expect(here.session_id).toBe(there.session_id);
  const numbers = await Promise.all(
    [workspace, elsewhere, workspace, elsewhere].map(({ runtime }) => runtime.nextOrderId()),
  );
  expect(new Set(numbers.map((number) => number.ok && number.value)).size).toBe(4);
  await elsewhere[Symbol.asyncDispose]();
});

test("verify and export give what files would give, byte for byte", async () => {
  const verified = await cli(workspace.root, "session", "verify", session, "--json");
  expect([verified.status, JSON.parse(verified.text)]).toMatchObject([0, { ok: true }]);
  const out = join(workspace.root, "exported");
  expect((await run("session", "export", session, "--out", out)).status).toBe(0);
  const lines = await inDatabase(
    async (client) =>
      (await client.query<{ line: string }>("SELECT line FROM log_event WHERE session_id = $1 ORDER BY seq", [session]))
        .rows,
  );
  const text = readFileSync(join(out, ".events.jsonl"), "utf8");
  expect(text).toBe(lines.map(({ line }) => `${line}\n`).join(""));
  const close = JSON.parse(text.trimEnd().split("\n").at(-1) ?? "") as { payload: { exec_head: string } };
  const exec = readFileSync(join(out, "ledger/exec.jsonl"), "utf8").trimEnd().split("\n");
  expect((JSON.parse(exec.at(-1) ?? "") as { hash: string }).hash).toBe(close.payload.exec_head);
  // The exported files, put into a workspace of files, verify there as if they had been written there.
  const files = await testWorkspace();
  for (const name of [".events.jsonl", "ledger/exec.jsonl", "ledger/evidence.jsonl", "snapshot.json"])
    await files.write(`planes/ho1/sessions/${session}/${name}`, readFileSync(join(out, name), "utf8"));
  const again = await files.runtime.verifySession(session as never);
  expect(again).toMatchObject({ ok: true, events: lines.length });
  await files[Symbol.asyncDispose]();
});

test("one changed byte in the database is found and named", async () => {
  const victim = (await workspace.ask("greet Eve")).session_id ?? "";
  await inDatabase((client) =>
    client.query(
      "UPDATE log_event SET line = replace(line, '\"seq\":2', '\"seq\":3') WHERE session_id = $1 AND seq = 2",
      [victim],
    ),
  );
  const verified = await cli(workspace.root, "session", "verify", victim, "--json");
  expect(verified.status).toBe(1);
  expect((JSON.parse(verified.text) as { violations: unknown[] }).violations.length).toBeGreaterThan(0);
});

test("a halt reaches every process through the database", async () => {
  expect((await cli(workspace.root, "halt", "--all", "--reason", "fire drill")).status).toBe(0);
  expect(await workspace.ask("greet Bob")).toMatchObject({ status: "rejected", error_code: "HALTED" });
  expect((await cli(workspace.root, "halt", "--lift")).status).toBe(0);
  expect(await workspace.ask("greet Bob")).toMatchObject({ status: "success" });
});

describe("where the store is", () => {
  test("`--store` says it to every command: nothing of it stays in the folder, and two folders share it", async () => {
    await using here = await testWorkspace();
    await here.runtime.close();
    const there = `${here.root}-on-another-machine`;
    cpSync(here.root, there, { recursive: true });
    const to = await freshDatabase();
    const started = await cli(here.root, "--store", to, "run", "greet Ada", "--json");
    const { session_id } = JSON.parse(started.text) as { session_id: string };
    const run = ["runs", "start", "--app", "writer", "--objective", "How a lease works", "--wait", "--json"];
    expect((await cli(here.root, ...run, "--store", to)).status).toBe(0);
    for (const argv of [
      ["session", "verify", session_id],
      ["halt", "--all", "--reason", "drill"],
      ["halt", "--lift"],
      ["inbox"],
      ["runs", "verify", "last"],
    ])
      expect([argv, (await cli(there, ...argv, `--store=${to}`)).status]).toEqual([argv, 0]);
    // The sessions of the run's work are where the run is: what two machines share, both must find there.
    const listed = JSON.parse((await cli(there, "session", "list", "--json", "--store", to)).text) as {
      sessions: readonly unknown[];
    };
    expect(listed.sessions.length).toBeGreaterThan(1);
    expect(existsSync(join(here.root, "planes/ho1/sessions", session_id, ".events.jsonl"))).toBe(false);
    const own = await cli(here.root, "session", "list", "--json");
    expect(JSON.parse(own.text)).toMatchObject({ sessions: [] });
    const unknown = await cli(here.root, "session", "list", "--store", "postgre://u:hunter2@h/d");
    expect([unknown.status, unknown.errors]).toEqual([2, expect.stringContaining("postgres://")]);
    expect(unknown.errors).not.toContain("hunter2");
    rmSync(there, { recursive: true });
  });

  test("`writ init --store` writes it down, and a password in the open is refused before anything is made", async () => {
    const inside = join(workspace.root, "tmp", "made");
    const open = await cli(workspace.root, "init", inside, "--store", "postgres://u:hunter2@db.example/d");
    expect([open.status, existsSync(inside)]).toEqual([2, false]);
    expect(open.errors).not.toContain("hunter2");
    const store = "postgres://u:${secret:DB}@db.example/d";
    expect((await cli(workspace.root, "init", inside, "--store", store)).status).toBe(0);
    expect((await cli(inside, "config", "show")).text).toMatch(/store.*db\.example.*writ\.yaml/);
    expect(readFileSync(join(inside, "writ.yaml"), "utf8")).toContain(store);
    expect((await cli(workspace.root, "init", inside, "--store", store)).text).toContain("write `store` into it");
  });

  test("a password stands there by reference, never as it is", async () => {
    const open = url.replace("writ@", "writ:hunter2@");
    const refused = await writ(["runs", "list", "--store", open], { cwd: workspace.root });
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain("${secret:NAME}");
    expect(refused.stdout + refused.stderr).not.toContain("hunter2");
    const referred = url.replace("writ@", "writ:${secret:DATABASE_PASSWORD}@");
    expect(
      (
        await writ(["runs", "list", "--store", referred], {
          cwd: workspace.root,
          env: { DATABASE_PASSWORD: "p@ss/word#" },
        })
      ).status,
    ).toBe(0);
  });

  test("a server that is not there is named, with its address and without a stack", async () => {
    const { status, stderr } = await writ(["runs", "list", "--store", "postgres://writ@127.0.0.1:1/nowhere"], {
      cwd: workspace.root,
    });
    expect(status).toBe(1);
    expect(stderr).toContain("postgres://writ@127.0.0.1:1/nowhere");
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("runs are started in one process and seen in another", async () => {
    await workspace.write(
      "quiet-app.mjs",
      'export const app = { app_id: "quiet", turn: async () => ({ actions: [] }) };\n',
    );
    const started = await writJson<{ run: { run_id: string } }>(
      ["runs", "start", "--app", "./quiet-app.mjs", "--objective", "a page on otters", "--store", url],
      { cwd: workspace.root },
    );
    expect(started.status).toBe(0);
    const listed = await run("runs", "list", "--store", url, "--json");
    expect(listed.stdout).toContain(started.json.run.run_id);
  });
});
