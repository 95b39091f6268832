// Where values come from is known across sessions: orders handed down, threads, forks, and what verify makes of them.
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import type { SessionId } from "#core/values";
import type { Event } from "#log";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const framework_id = "FMWK-LABELS";
const manifest = {
  framework_id,
  title: "A desk whose values are judged",
  version: "1.0.0",
  status: "active",
  ring: "resident",
  plane_id: "ho1",
  agent_classes: ["RESIDENT"],
  default_agent_class: "RESIDENT",
  path_authorizations: ["**"],
  required_gates: [],
  expected_specs: ["SPEC-LABELS-001"],
  schema_version: "v2",
};
const filesWith = (values: object) => ({
  [`frameworks/${framework_id}/manifest.yaml`]: stringify({ ...manifest, values }),
  "registries/frameworks_registry.csv": `framework_id,title,status,version,plane_id,path\n${framework_id},Labels,active,1.0.0,ho1,frameworks/${framework_id}\n`,
  "registries/specs_registry.csv": `spec_id,title,framework_id,status,version\nSPEC-LABELS-001,Labels,${framework_id},active,1.0.0\n`,
});
const usage = { input_tokens: 10, output_tokens: 10 };
const write = (path: string) => ({
  tool_calls: [{ name: "fs.write", args: { path, content: "hello", expected_hash: "", why: "asked" } }],
  usage,
});
const says = { text: "done", usage };
const order = {
  type: "solo",
  framework_id,
  spec_id: "SPEC-LABELS-001",
  scope: { allowed_files: ["notes/**"], read_files: ["**"] },
  tool_permissions: ["fs.write", "fs.read", "delegate"],
  delegation: { max_depth: 1 },
  budget: { token_limit: 60_000, turn_limit: 100, timeout_seconds: 120 },
  schema_version: "v2",
};

async function place(rules: readonly object[], values: object = { pack: "standard" }): Promise<TestWorkspace> {
  const config = { v2_features: { multi_step_enabled: true, delegation_enabled: true } };
  const workspace = await testWorkspace({ rules, files: filesWith(values), config });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  return workspace;
}

const labelsOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "tool.invoke" && event.payload.values ? [event.payload.values[0]] : []));

async function verified(workspace: TestWorkspace, ids: readonly (string | null | undefined)[]): Promise<void> {
  for (const id of ids)
    expect(await workspace.runtime.verifySession(id as SessionId)).toMatchObject({ ok: true, violations: [] });
}

test("an order below names the words of the person above it by reference, and both records verify", async () => {
  const tasks = [{ prompt: "Write notes/a.md and notes/b.md", tools: ["fs.write"] }];
  const workspace = await place([
    { when: { prompt: "^Please", call: 1 }, respond: { tool_calls: [{ name: "delegate", args: { tasks } }], usage } },
    { when: { prompt: "^Write", call: 1 }, respond: write("notes/a.md") },
    { when: { prompt: "^Write", call: 2 }, respond: write("notes/b.md") },
    { when: { prompt: "^Please", call: 2 }, respond: write("notes/c.md") },
    { respond: says },
  ]);
  const result = await workspace.order({ ...order, input: { prompt: "Please have notes/a.md written" } });
  expect(result).toMatchObject({ status: "success", error: null });
  const events = await workspace.events(result.session_id);
  const child = events.flatMap((event) =>
    event.type === "delegation.made" ? [event.payload.child_session_id] : [],
  )[0];
  expect(labelsOf(await workspace.events(child))).toMatchObject([
    { at: "/path", from: ["person", "order"], ref: [`${result.session_id}/order#/input/prompt`, "order#/scope"] },
    { at: "/path", from: ["order"] },
  ]);
  await verified(workspace, [result.session_id, child]);
});

test("a message of a thread has the person's earlier words", async () => {
  const workspace = await place([
    { when: { prompt: "^Go on", call: 1 }, respond: write("notes/a.md") },
    { respond: says },
  ]);
  const { threads } = workspace.runtime;
  const thread = threads.begin();
  const wanted = { framework: framework_id, allow: ["notes/**"] };
  const first = await thread.send("It will be notes/a.md", { wanted }).result;
  const second = await thread.send("Go on", { wanted }).result;
  expect([first.error, second.error]).toEqual([null, null]);
  expect(labelsOf(await workspace.events(second.session_id))).toMatchObject([
    { at: "/path", ref: [`${first.session_id}/order#/input/prompt`, "order#/scope"] },
  ]);
  await verified(workspace, [first.session_id, second.session_id]);
});

test("where a framework says that values are not judged, each result and the close of the session say so", async () => {
  const workspace = await place([{ respond: says }], { pack: "off" });
  const result = await workspace.order({ ...order, input: { prompt: "Please" } });
  expect(result).toMatchObject({ status: "success", values_off: `framework ${framework_id}` });
  const close = (await workspace.events(result.session_id)).find((event) => event.type === "session.close");
  expect(close?.payload.notices).toEqual([`values are not judged (framework ${framework_id})`]);
});
