// A request as a new user types it, to a model that answers as real ones do: prose and tool calls over HTTP.
import { expect, test } from "vitest";
import { calling as call, callOf, sentTo as sent, withModel, wordsOf as words } from "../support/with-model.ts";

test("a plain question reaches the model word for word, in one call", async () => {
  await using bench = await withModel();
  const { vendor, workspace } = bench;
  vendor.will({ text: "The cat sleeps on the roof." });
  const prompt = 'Translate this: le chat dort sur le toit.\n\n  Keep the line breaks, "quotes" and {braces}.';
  const result = await workspace.ask(prompt);
  expect(result).toMatchObject({ status: "success", response: "The cat sleeps on the roof.", error: null });
  expect(vendor.requests).toHaveLength(1);
  expect(sent(vendor)[0]?.messages.at(-1)).toMatchObject({ role: "user", content: prompt });
  const events = await workspace.events(result.session_id);
  expect(events.find(({ type }) => type === "strategy.chosen")?.payload).toMatchObject({
    strategy: "solo",
    rule: "default",
  });
  const [order] = events.flatMap((event) => (event.type === "wo.started" ? [event.payload.work_order] : []));
  expect(order).toMatchObject({ type: "solo" });
});

test("tools are offered in the order of their names, and the whole request stays small", async () => {
  await using bench = await withModel();
  const { vendor, workspace } = bench;
  vendor.will({ text: "Nothing to do." });
  await workspace.ask("what is here?");
  const names = sent(vendor)[0]?.tools?.map((tool) => tool.function.name) ?? [];
  expect(names).toEqual(names.toSorted());
  expect(names).toContain("fs__edit");
  expect(JSON.stringify(sent(vendor)[0]?.tools).length).toBeLessThan(7_000);
});

const bug = "export function isAdmin(user) {\n  return user.role = 'admin';\n}\n";
const fix = { path: "auth.ts", edits: [{ old: "user.role = 'admin'", new: "user.role === 'admin'" }] };

test("a bug is fixed where the request may write: read, edited, landed, answered", async () => {
  await using bench = await withModel({ files: { "auth.ts": bug } });
  const { vendor, workspace } = bench;
  vendor.will(call("fs.read", { path: "auth.ts" }), call("fs.edit", fix), {
    text: "auth.ts compared with =, now ===.",
  });
  const result = await workspace.ask("fix the bug in auth.ts", { allow: ["auth.ts"] });
  expect(result).toMatchObject({ status: "success", response: "auth.ts compared with =, now ===." });
  expect(await workspace.read("auth.ts")).toBe(bug.replace("= 'admin'", "=== 'admin'"));
  expect(vendor.requests).toHaveLength(3);
});

test("a refused write is not reported as done: partial, listed, and nothing landed", async () => {
  await using bench = await withModel({ files: { "auth.ts": bug } });
  const { vendor, workspace } = bench;
  vendor.will(
    call("fs.write", { path: "notes/plan.md", content: "fix it\n", expected_hash: "", why: "plan" }),
    call("fs.edit", fix),
    { text: "I fixed the bug." },
  );
  const result = await workspace.ask("fix the bug in auth.ts");
  expect(result).toMatchObject({
    status: "partial",
    response: "I fixed the bug.",
    error_code: "PARTIAL_RESULT",
    undone: [{ tool: "fs.edit", target: "auth.ts", state: "refused", code: "CAPABILITY_VIOLATION" }],
  });
  expect(await workspace.read("auth.ts")).toBe(bug);
  await expect(workspace.read("notes/plan.md")).rejects.toThrow();
  const verified = await workspace.runtime.verifySession(result.session_id as never);
  expect(verified).toMatchObject({ ok: true });
});

test("what a partial order did land stays where its order says so", async () => {
  await using bench = await withModel({ files: { "auth.ts": bug } });
  const { vendor, workspace } = bench;
  vendor.will(
    call("fs.write", { path: "notes/plan.md", content: "fix it\n", expected_hash: "", why: "plan" }),
    call("fs.edit", fix),
    { text: "The plan is written, auth.ts was refused." },
  );
  const result = await workspace.order({
    type: "solo",
    input: { prompt: "fix the bug in auth.ts" },
    scope: { allowed_files: ["notes/**"], read_files: ["**"] },
    tool_permissions: ["fs.*"],
    budget: { token_limit: 50_000, turn_limit: 10, timeout_seconds: 60 },
    on_partial: "land",
    schema_version: "v2",
  });
  expect(result).toMatchObject({ status: "partial", error_code: "PARTIAL_RESULT" });
  expect(await workspace.read("notes/plan.md")).toBe("fix it\n");
});

test("a call that failed and then succeeded on the same file leaves nothing undone", async () => {
  await using bench = await withModel({ files: { "notes/a.md": "one\n" } });
  const { vendor, workspace } = bench;
  vendor.will(
    call("fs.edit", { path: "notes/a.md", edits: [{ old: "two", new: "three" }] }),
    call("fs.edit", { path: "notes/a.md", edits: [{ old: "one", new: "two" }] }),
    { text: "Done." },
  );
  expect(await workspace.ask("count on")).toMatchObject({ status: "success" });
  expect(await workspace.read("notes/a.md")).toBe("two\n");
});

test("a read with arguments that cannot be read leaves nothing undone; an act, or a tool that is not there, does", async () => {
  await using bench = await withModel({ files: { "notes/a.md": "one\n" } });
  const { vendor, workspace } = bench;
  const cut = (name: string) => ({ calls: [{ ...callOf(name, {}), input: '{"path": "notes/a' }] });
  vendor.will(cut("fs.read"), call("fs.read", { file: 3 }), { text: "I did without." });
  expect(await workspace.ask("look into it")).toMatchObject({ status: "success" });
  vendor.will(cut("fs.write"), { text: "Written." });
  expect(await workspace.ask("write it")).toMatchObject({
    status: "partial",
    undone: [{ tool: "fs.write", code: "MALFORMED_INPUT" }],
  });
  vendor.will(call("send_mail", { to: "ada" }), { text: "I sent it." });
  expect(await workspace.ask("send it")).toMatchObject({ status: "partial", undone: [{ code: "TOOL_NOT_FOUND" }] });
});

test("an output schema makes the answer a contract, and prose gets one chance to mend it", async () => {
  await using bench = await withModel();
  const { vendor, workspace } = bench;
  const output_schema = { type: "object", required: ["capital"], properties: { capital: { type: "string" } } };
  vendor.will({ text: "It is Paris, of course." }, { text: '```json\n{"capital":"Paris"}\n```' });
  const order = { type: "solo", input: { prompt: "capital of France?" }, io_schema: { output_schema } };
  const budget = { token_limit: 50_000, turn_limit: 5, timeout_seconds: 60 };
  const result = await workspace.order({ ...order, budget, schema_version: "v2" });
  expect(result).toMatchObject({ status: "success", response: '{"capital":"Paris"}' });
  vendor.will({ text: "Paris." });
  expect(await workspace.order({ ...order, budget, schema_version: "v2" })).toMatchObject({
    status: "failure",
    error_code: "MALFORMED_AGENT_MESSAGE",
  });
});

test("a program that nobody granted is asked about, and the request waits", async () => {
  await using bench = await withModel();
  const { vendor, workspace } = bench;
  vendor.will(call("exec", { command: ["true"] }), { text: "It ran." });
  expect(await workspace.ask("run the tests")).toMatchObject({ status: "waiting" });
});

test("a skill is offered by its description and loaded by its name, and grants nothing", async () => {
  const skill =
    "---\nname: release\ndescription: How releases are announced here.\nallowed-tools: [exec]\n---\n\nSay it in one line.\n";
  await using bench = await withModel({
    files: { "skills/release/SKILL.md": skill, "skills/release/words.md": "short" },
  });
  const { vendor, workspace } = bench;
  vendor.will(call("skill.load", { skill: "release" }), { text: "Version 3 is out." });
  const result = await workspace.ask("announce version 3");
  expect(result).toMatchObject({ status: "success" });
  expect(String(sent(vendor)[0]?.messages[0]?.content)).toContain("- release: How releases are announced here.");
  expect(JSON.stringify(sent(vendor)[1]?.messages.at(-1))).toContain("Say it in one line.");
  const events = await workspace.events(result.session_id);
  expect(events.find(({ type }) => type === "skill.loaded")?.payload).toMatchObject({ skill: "release" });
});

test("the agent's list of steps stands in the record", async () => {
  await using bench = await withModel();
  const { vendor, workspace } = bench;
  const items = [
    { text: "look", state: "done" },
    { text: "answer", state: "active" },
  ];
  vendor.will(call("todo", { items }), { text: "Done." });
  const result = await workspace.ask("do two things");
  const events = await workspace.events(result.session_id);
  expect(events.find(({ type }) => type === "plan.updated")?.payload).toMatchObject({ items });
});

test("in plan-work-review every role is sent the request word for word", async () => {
  await using bench = await withModel();
  const { vendor, workspace } = bench;
  const prompt = 'Say it "plainly":\n  two lines, {braces} and all.';
  const json = (value: object) => ({ text: JSON.stringify({ ...value, schema_version: "v1" }) });
  vendor.will(
    json({ intent: "say it", constraints: [], needs_advisor: false }),
    json({ steps: [{ id: "s1", description: "say it", depends_on: [] }], risks: [], needs_advisor: false }),
    json({ output: "said", steps_completed: ["s1"], tool_calls_made: [] }),
    json({ verdict: "pass", feedback: "it is said" }),
  );
  const order = await workspace.runtime.writeWorkOrder(prompt, { strategy: "plan-work-review" });
  if (!order.ok) throw new Error(order.error.message);
  const result = await workspace.runtime.runFlow({
    work_order: { ...order.value },
    caller_id: workspace.runtime.caller,
  });
  expect(result).toMatchObject({ status: "success", verdict: "pass" });
  expect(sent(vendor)).toHaveLength(4);
  for (const each of sent(vendor)) expect(words(each)).toContain(prompt);
  expect(words(sent(vendor)[0])).toContain("- summarize:");
  expect(words(sent(vendor)[3])).toContain("| evidence_v1]]");
  const events = await workspace.events(result.session_id);
  expect(events.find(({ type }) => type === "review.result")?.payload).toMatchObject({ independent: "context" });
});

const reviewed = {
  type: "reviewed-solo",
  input: { prompt: "fix the bug in auth.ts" },
  scope: { allowed_files: ["auth.ts"], read_files: ["**"] },
  tool_permissions: ["fs.*"],
  budget: { token_limit: 50_000, turn_limit: 10, timeout_seconds: 60 },
  schema_version: "v2",
};
const verdict = (word: string) => ({
  text: JSON.stringify({ verdict: word, feedback: "by the evidence", schema_version: "v1" }),
});

test("reviewed solo lands what a reviewer passed, who saw the difference and not only words", async () => {
  await using bench = await withModel({ files: { "auth.ts": bug } });
  const { vendor, workspace } = bench;
  vendor.will(call("fs.edit", fix), { text: "Fixed." }, verdict("pass"));
  expect(await workspace.order(reviewed)).toMatchObject({ status: "success", verdict: "pass", response: "Fixed." });
  expect(words(sent(vendor)[2])).toContain("user.role === 'admin'");
  expect(await workspace.read("auth.ts")).toContain("===");
});

test("what the reviewer of a solo order does not pass does not land", async () => {
  await using bench = await withModel({ files: { "auth.ts": bug } });
  const { vendor, workspace } = bench;
  vendor.will(call("fs.edit", fix), { text: "Fixed." }, verdict("fail"));
  expect(await workspace.order(reviewed)).toMatchObject({ status: "failure", error_code: "REVIEW_FAILED" });
  expect(await workspace.read("auth.ts")).toBe(bug);
});

test("a refused act needs no reviewer: the answer is partial without another call", async () => {
  await using bench = await withModel({ files: { "auth.ts": bug } });
  const { vendor, workspace } = bench;
  vendor.will(call("fs.edit", { ...fix, path: "other.ts" }), { text: "Fixed." });
  expect(await workspace.order(reviewed)).toMatchObject({ status: "partial" });
  expect(vendor.requests).toHaveLength(2);
});
