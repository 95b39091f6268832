// The turn runtime as a program calls it: a function as the turn's code, declared against realized, and what would be allowed.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openWorkspace, type TurnRequest, unwrap, type Workspace } from "../../src/embed/index.ts";
import { cli, cliJson } from "../support/cli.ts";

let root: string;
let writ: Workspace;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "writ-turns-"));
  mkdirSync(join(root, "notes"));
  writeFileSync(join(root, "notes", "week.md"), "The door opens again.\n");
  writ = unwrap(await openWorkspace({ root, config: { identity: { dev: { effects: ["turn"] } } } }));
  onTestFinished(async () => {
    await writ.close();
    rmSync(root, { recursive: true, force: true });
  });
});

const report = "output/<session_id>/report.md";
const request = (more: Partial<TurnRequest> = {}): TurnRequest => ({
  package_id: "PKG-DEMO",
  turn_number: 1,
  query: { title: "week" },
  declared_inputs: [{ path: "notes/week.md" }],
  declared_outputs: [{ path: report }],
  capabilities: { read: ["notes/**"], write: ["output/<session_id>/**", "notes/**"] },
  ...more,
});
const dev = { dev: true };

test("a function whose writes are what it declared lands whole, with evidence of what it read and wrote", async () => {
  const done = await writ.executeTurn(
    request(),
    ({ query }, { read, write }) => {
      write(report, `${JSON.stringify(query)} ${Buffer.from(read("notes/week.md")).toString()}`);
      return { pages: 1 };
    },
    dev,
  );
  expect(done).toMatchObject({ status: "ok", result: { pages: 1 }, error: null });
  expect(done.evidence).toMatchObject({ handler: "function", committed: true, inputs: [{ path: "notes/week.md" }] });
  const landed = join(root, report.replace("<session_id>", done.session_id ?? ""));
  expect(readFileSync(landed, "utf8")).toBe('{"title":"week"} The door opens again.\n');
  expect(await writ.verifySession(done.session_id as never)).toMatchObject({ ok: true });
  const ledger = join(root, "planes", "ho1", "sessions", done.session_id ?? "", "ledger", "evidence.jsonl");
  await writ.close(); // session files are written behind the journal, and are there once it is closed
  expect(readFileSync(ledger, "utf8")).toContain("report.md");
});

test.for([
  [
    "writes what it did not declare",
    "UNDECLARED_WRITE",
    ({ write }: { write: (p: string, c: string) => void }) => {
      write(report, "fine");
      write("notes/extra.md", "hm");
    },
  ],
  ["leaves out what it declared", "MISSING_OUTPUT", () => undefined],
  [
    "throws",
    "TURN_FAILED",
    () => {
      throw new Error("out of ink");
    },
  ],
  ["leaves the workspace", "TURN_FAILED", ({ write }: { write: (p: string, c: string) => void }) => write("../x", "")],
  [
    "reads what it did not declare",
    "TURN_FAILED",
    ({ read }: { read: (p: string) => unknown }) => void read("writ.yaml"),
  ],
] as const)("a function that %s lands nothing", async ([, code, run]) => {
  const done = await writ.executeTurn(
    request(),
    (_, about) => {
      run(about);
      return null;
    },
    dev,
  );
  expect(done).toMatchObject({ status: "error", error: { code }, evidence: { committed: false } });
  expect(existsSync(join(root, "notes", "extra.md"))).toBe(false);
  expect(existsSync(join(root, report.replace("<session_id>", done.session_id ?? "")))).toBe(false);
  expect(await writ.verifySession(done.session_id as never)).toMatchObject({ ok: true });
});

test("what is outside its rights is refused before the function runs, and capabilities of its own need dev", async () => {
  let ran = 0;
  const handler = () => void (ran += 1);
  const outside = await writ.executeTurn(request({ declared_inputs: [{ path: "writ.yaml" }] }), handler, dev);
  expect(outside).toMatchObject({ status: "error", error: { code: "CAPABILITY_VIOLATION" } });
  const own = await writ.executeTurn(request(), handler);
  expect(own).toMatchObject({ status: "error", error: { code: "NOT_AUTHORIZED" } });
  const malformed = await writ.executeTurn({ ...request(), turn_number: 0 }, handler, dev);
  expect(malformed).toMatchObject({ status: "error", error: { code: "SCHEMA_VIOLATION" } });
  expect(ran).toBe(0);
});

test("what a package's turns may do can be asked before any of them runs", () => {
  const capabilities = {
    read: ["notes/**"],
    write: ["notes/*.md"],
    execute: ["cat notes/*"],
    forbidden: ["notes/private/**"],
  };
  const rights = unwrap(writ.turnRights(capabilities));
  expect(rights.check("read", "notes/week.md")).toBe(true);
  expect(rights.check("write", "notes/a/b.md")).toBe(false);
  expect(rights.check("execute", "cat notes/week.md")).toBe(true);
  expect(rights.check("execute", "rm -r notes")).toBe(false);
  expect(rights.isForbidden("notes/private/key.md")).toBe(true);
  expect(rights.isForbidden("planes/ho1/x")).toBe(true);
  expect(rights.isForbidden("notes/week.md")).toBe(false);
  expect(rights.enforce("write", "notes/../notes/week.md")).toMatchObject({
    ok: true,
    value: { path: "notes/week.md" },
  });
  expect(rights.enforce("read", "writ.yaml")).toMatchObject({ ok: false, error: { code: "CAPABILITY_VIOLATION" } });
  expect(rights.enforce("execute", "rm")).toMatchObject({ ok: false, error: { code: "CAPABILITY_VIOLATION" } });
  expect(writ.turnRights("PKG-NONE")).toMatchObject({ ok: false });
});

test("`writ turn explain` says what would be allowed and by which rule, in the words of the program's call, and runs nothing", async () => {
  const turn = request({ handler: { command: ["sh", "-c", "touch notes/ran.md"] } });
  const file = join(root, "turn.json");
  writeFileSync(file, JSON.stringify(turn));
  const explained = unwrap(await writ.explainTurn(turn, dev));
  expect(explained.error).toBe(null);
  const said = await cliJson(root, "turn", "explain", file, "--dev");
  expect(said.json).toMatchObject({ allowed: true, decisions: JSON.parse(JSON.stringify(explained.decisions)) });
  expect(explained.decisions).toContainEqual(
    expect.objectContaining({
      operation: "read",
      subject: "notes/week.md",
      allowed: true,
      rule: expect.stringContaining("notes/**"),
    }),
  );
  writeFileSync(file, JSON.stringify({ ...turn, declared_outputs: [{ path: "writ.yaml" }] }));
  const refused = await cli(root, "turn", "explain", file, "--dev");
  expect(refused.status).toBe(3);
  expect(refused.stdout).toContain("CAPABILITY_VIOLATION");
  expect(existsSync(join(root, "notes", "ran.md"))).toBe(false);
});
