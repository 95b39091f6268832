// `turn exec` that names an order: the order was submitted by the same caller, is open, and is wide enough; or nothing runs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TurnResultV1 } from "#core/contracts";
import { cli } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, workOrder } from "../support/runtime-workspace.ts";

let space: TestWorkspace;
beforeAll(async () => {
  space = await testWorkspace({
    files: { "hooks/ask.mjs": 'export default () => ({ decision: "ask", reason: "who asks?" });\n' },
    config: {
      hooks: { PreToolUse: [{ matcher: "echo", hooks: [{ type: "module", module: "hooks/ask.mjs" }] }] },
      identity: { callers: { "omar@corp": { roles: ["operator"] } }, dev: { effects: ["turn"] } },
    },
  });
  mkdirSync(join(space.root, "notes"));
  writeFileSync(join(space.root, "notes/payroll.csv"), "secret");
});
afterAll(() => space[Symbol.asyncDispose]());

const asking = (changes: object = {}) =>
  workOrder({
    type: "tool-call",
    tool_permissions: ["echo", "exec"],
    scope: { allowed_files: ["notes/**"], forbidden_files: ["notes/payroll.csv"] },
    input: { tool: "echo", args: { text: "?" } },
    ...changes,
  });

/** An order that waits for a person: it has begun, and has not ended. */
async function open(changes: object = {}, caller_id = space.runtime.caller) {
  const order = asking(changes);
  const result = await space.runtime.runFlow({ work_order: order, caller_id });
  expect(result).toMatchObject({ status: "waiting" });
  return { work_order_id: String(order["work_order_id"]), session_id: result.session_id ?? "" };
}

let files = 0;

async function exec(under: object, more: object = {}) {
  files += 1;
  const path = `notes/${files}.md`;
  const turn = {
    package_id: "PKG-DEMO",
    turn_number: 1,
    query: {},
    declared_inputs: [],
    declared_outputs: [{ path }],
    capabilities: { read: ["**"], write: ["**"] },
    handler: { command: ["sh", "-c", `echo hi > ${path}`] },
    ...under,
    ...more,
  };
  const file = join(space.root, `turn-${files}.json`);
  writeFileSync(file, JSON.stringify(turn));
  const { status, text } = await cli(space.root, "turn", "exec", file, "--dev", "--json");
  return { exit: status, path: join(space.root, path), ...(JSON.parse(text) as TurnResultV1) };
}

const refused = (words: string) => ({
  exit: 3,
  status: "error",
  error: { code: "NOT_AUTHORIZED", message: expect.stringContaining(words) },
});

test("runs as a child of the open order, under a number of its own", async () => {
  const { work_order_id, session_id } = await open();
  for (const under of [{ work_order_id }, { session_id }, { work_order_id, session_id }]) {
    const ran = await exec(under);
    expect(ran, ran.error?.message).toMatchObject({ exit: 0, status: "ok" });
    expect(readFileSync(ran.path, "utf8")).toBe("hi\n");
    const [start] = await space.events(ran.session_id);
    expect(start?.payload).toMatchObject({ parent_work_order_id: work_order_id });
    expect(start?.payload).not.toMatchObject({ work_order_id });
  }
});

test("is refused under an order of another caller, one that ended, one that was never submitted and one that is halted", async () => {
  const omar = await open({}, "omar@corp");
  expect(await exec({ work_order_id: omar.work_order_id })).toMatchObject(refused("it was submitted by omar@corp"));
  const other = await exec({ session_id: omar.session_id });
  expect(other).toMatchObject(refused("it was submitted by omar@corp"));
  expect(existsSync(other.path)).toBe(false);
  const done = workOrder();
  const ended = await space.runtime.runFlow({ work_order: done, caller_id: space.runtime.caller });
  expect(ended).toMatchObject({ status: "success" });
  expect(await exec({ work_order_id: done["work_order_id"] })).toMatchObject(refused("it has ended"));
  expect(await exec({ session_id: ended.session_id })).toMatchObject(refused("it has ended"));
  expect(await exec({ work_order_id: "WO-20261115-001" })).toMatchObject(refused("no such order was submitted"));
  expect(await exec({ session_id: "mine" })).toMatchObject(refused("is no session id"));
  const mine = await open();
  const two = { work_order_id: mine.work_order_id, session_id: omar.session_id };
  expect(await exec(two)).toMatchObject(refused(`${omar.session_id} carries out ${omar.work_order_id}`));
  await space.runtime.halt(mine.session_id as never, "it smells");
  expect(await exec({ work_order_id: mine.work_order_id })).toMatchObject(refused("it is halted: it smells"));
});

test("is refused under an order that is not wide enough, and what the order forbids stays unread", async () => {
  const { work_order_id } = await open();
  const outputs = (path: string) => ({
    declared_outputs: [{ path }],
    handler: { command: ["sh", "-c", `echo x > ${path}`] },
  });
  expect(await exec({ work_order_id }, outputs("elsewhere.md"))).toMatchObject(
    refused("it may not write elsewhere.md"),
  );
  expect(existsSync(join(space.root, "elsewhere.md"))).toBe(false);
  const forbidden = await exec({ work_order_id }, outputs("notes/payroll.csv"));
  expect(forbidden).toMatchObject(refused("forbids notes/payroll.csv"));
  expect(readFileSync(join(space.root, "notes/payroll.csv"), "utf8")).toBe("secret");
  const copying = { handler: { command: ["sh", "-c", "cat notes/payroll.csv > notes/copy.md"] } };
  const copied = await exec({ work_order_id }, { ...copying, declared_outputs: [{ path: "notes/copy.md" }] });
  expect(copied.status).toBe("error");
  expect(existsSync(join(space.root, "notes/copy.md"))).toBe(false);
  const without = await open({ tool_permissions: ["echo"] });
  expect(await exec({ work_order_id: without.work_order_id })).toMatchObject(refused("it may run no program"));
  const counted = await open({ tool_permissions: ["echo", { tool: "exec", max_calls: 1 }] });
  expect(await exec({ work_order_id: counted.work_order_id })).toMatchObject(refused("counts its programs"));
});

test("an order of type turn that names another session or order for its turn is refused by the name", async () => {
  for (const named of [{ session_id: "SES-20261115-00000000000000000000" }, { work_order_id: "WO-20261115-001" }]) {
    const turn = { package_id: "P", turn_number: 1, query: {}, declared_inputs: [], declared_outputs: [], ...named };
    const order = workOrder({ type: "turn", input: { turn } });
    const result = await space.runtime.runFlow({ work_order: order, caller_id: space.runtime.caller });
    expect(result).toMatchObject({
      status: "rejected",
      error_code: "WORK_ORDER_INVALID",
      error: expect.stringContaining(`input.turn.${Object.keys(named)[0]}`),
    });
  }
});
