// An order that is handed down acts within the mandate of the order above it, and what is counted there is shared below.
import { expect, onTestFinished, test } from "vitest";
import type { Event } from "#log";
import { cli } from "../support/fresh-cli.ts";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions } from "../support/runtime-workspace.ts";

const usage = { input_tokens: 10, output_tokens: 10 };
const part = (name: string, more: object = {}) => ({ prompt: `part ${name}`, token_limit: 5_000, ...more });
const calls = (name: string, args: object) => ({ tool_calls: [{ name, args }], usage });
const says = (text: string) => ({ text, usage });
const order = {
  type: "delegate",
  plane_id: "ho1",
  schema_version: "v2",
  input: { prompt: "top" },
  scope: { allowed_files: ["notes/**"], read_files: ["**"] },
  delegation: { max_depth: 3 },
  budget: { token_limit: 60_000, turn_limit: 300, timeout_seconds: 120 },
};

/** A first order that asks for these agents, each of which answers to its prompt by the rules. */
async function handing(tasks: readonly object[], rules: readonly object[], more: WorkspaceOptions = {}) {
  const workspace = await testWorkspace({
    ...more,
    rules: [
      { when: { prompt: "^top$", call: 1 }, respond: { json: { delegate: tasks }, usage } },
      ...rules,
      { respond: says("done") },
    ],
    config: { v2_features: { multi_step_enabled: true, delegation_enabled: true }, ...more.config },
  });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

/** The events of a session and of all below it. */
async function below(place: TestWorkspace, session_id: string | null | undefined): Promise<readonly Event[]> {
  const events = await place.events(session_id);
  const deeper: Event[] = [];
  for (const { type, payload } of events)
    if (type === "delegation.made") deeper.push(...(await below(place, payload.child_session_id)));
  return [...events, ...deeper];
}

const made = (events: readonly Event[]) => events.filter(({ type }) => type === "tool.invoke").length;
const refusals = (events: readonly Event[]) =>
  events.flatMap(({ type, payload }) => (type === "tool.refused" ? [payload.reason] : []));

test("max_calls of an order are shared by everything below it, however deep", async () => {
  const echo = { text: "hello" };
  const place = await handing(
    [part("a"), part("b"), part("c")],
    [
      {
        when: { prompt: "^part c$", call: 1 },
        respond: { json: { delegate: [part("d", { token_limit: 1_000 })] }, usage },
      },
      { when: { prompt: "^part [abd]$", call: 1 }, respond: calls("echo", echo) },
      { when: { prompt: "^top$", call: 2 }, respond: calls("echo", echo) },
    ],
  );
  const { session_id } = await place.order({ ...order, tool_permissions: [{ tool: "echo", max_calls: 2 }] });
  const events = await below(place, session_id);
  expect(made(events)).toBe(2);
  expect(refusals(events)).toHaveLength(2);
  for (const reason of refusals(events)) expect(reason).toContain("(tool_permissions[0]) admits 2 calls, and 2 were");
});

test("what was counted counts again when the order goes on in another process", async () => {
  const place = await handing(
    [part("a")],
    [
      { when: { prompt: "^part [ab]$", call: 1 }, respond: calls("echo", { text: "hello" }) },
      { when: { prompt: "^top$", call: 2 }, respond: calls("fs.list", {}) },
      {
        when: { prompt: "^top$", call: 3 },
        respond: { json: { delegate: ["b", "c", "d", "e", "f", "g"].map((name) => part(name)) }, usage },
      },
    ],
  );
  const first = await place.order({
    ...order,
    budget: { ...order.budget, turn_limit: 13 },
    tool_permissions: [{ tool: "echo", max_calls: 1 }, "fs.list"],
    approvals: [{ tools: ["fs.list"], reason: "the test stops here" }],
  });
  expect(first).toMatchObject({ status: "waiting", error_code: "APPROVAL_PENDING" });
  const [asked] = await place.runtime.inbox
    .list({ session_id: String(first.session_id), limit: 1 })
    .then((list) => (list.ok ? list.value : []));
  await place.runtime.close();
  expect((await cli(place.root, "inbox", "approve", String(asked?.approval_id))).status).toBe(0);
  await cli(place.root, "session", "resume", String(first.session_id));
  await place.reopen();
  const events = await below(place, first.session_id);
  expect(events.filter(({ type, payload }) => type === "tool.invoke" && payload.name === "echo")).toHaveLength(1);
  expect(refusals(events)).toEqual([expect.stringContaining("(tool_permissions[0]) admits 1 call, and it was made")]);
});

test("the skill of an order narrows the orders below it", async () => {
  const skill = "---\nname: small\ndescription: a small skill\nallowed-tools: echo\n---\n\nDo it.\n";
  const place = await handing([part("a")], [{ when: { prompt: "^part a$", call: 1 }, respond: calls("fs.list", {}) }], {
    files: { "skills/small/SKILL.md": skill },
  });
  const { session_id } = await place.order({ ...order, skill: "small", tool_permissions: ["echo", "fs.list"] });
  const events = await below(place, session_id);
  expect(made(events)).toBe(0);
  expect(refusals(events)).toEqual([expect.stringContaining("skill small (allowed-tools)")]);
});

test("what bounds the caller bounds the orders below", async () => {
  const grants = ["order.submit", "framework:*", "class:*", "tool:*", "host:example.org"];
  const place = await handing([part("a")], [], {
    config: { identity: { local_roles: ["clerk"], roles: { clerk: { grants } } } },
  });
  const { session_id } = await place.order(order);
  const mandates = (await below(place, session_id)).flatMap(({ type, payload }) =>
    type === "wo.started" ? [payload.mandate] : [],
  );
  expect(mandates).toHaveLength(2);
  const [first, second] = mandates;
  expect(first?.hosts).toMatchObject([{ lists: [{ patterns: ["example.org"] }] }]);
  expect(second?.within).toEqual(first);
});

test("a child that is given a file by name may not rewrite code that its parent may not", async () => {
  const write = { path: "Makefile", content: "all:\n", expected_hash: "", why: "a test" };
  const place = await handing(
    [part("a", { allowed_files: ["Makefile"] })],
    [{ when: { prompt: "^part a$", call: 1 }, respond: calls("fs.write", write) }],
  );
  const wide = { ...order, scope: { allowed_files: ["**"] }, tool_permissions: ["fs.write"] };
  const events = await below(place, (await place.order(wide)).session_id);
  expect(made(events)).toBe(0);
  expect(refusals(events)).toEqual([expect.stringContaining("it is code that runs")]);
});

test("a fork of an order that was handed down is bounded as that one is", async () => {
  const task = part("a", { allowed_files: ["notes/a.md"] });
  const place = await handing([task], [], { files: { "answer.txt": "another answer" } });
  const { session_id } = await place.order(order);
  const child = (await place.events(session_id)).find(({ type }) => type === "delegation.made")?.payload as {
    readonly child_session_id: string;
  };
  const answered = (await place.events(child.child_session_id)).find(({ type }) => type === "llm.response")?.seq;
  const argv = ["session", "fork", child.child_session_id, "--at", String(answered), "--edit", "answer.txt"];
  const forked = await cli(place.root, ...argv, "--json");
  const { session_id: fork } = JSON.parse(forked.text) as { readonly session_id: string };
  const started = (await place.events(fork)).find(({ type }) => type === "wo.started")?.payload as {
    readonly mandate: { readonly within?: { readonly write: readonly object[] } };
  };
  expect(started.mandate.within?.write[0]).toMatchObject({ lists: [{ patterns: ["notes/**"] }] });
});
