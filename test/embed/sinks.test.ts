// What a program says of the arguments of its own tools, where a framework judges values.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineProvider, defineTool, openWorkspace, type ToolDefinition, unwrap } from "../../src/embed/index.ts";

const framework = (values: string) => ({
  "frameworks/FMWK-DESK/manifest.yaml": `framework_id: FMWK-DESK
title: Desk
version: 1.0.0
status: active
ring: resident
plane_id: ho1
agent_classes: [RESIDENT]
default_agent_class: RESIDENT
path_authorizations: []
required_gates: []
expected_specs: [SPEC-DESK-001]
values: ${values}
schema_version: v2
`,
  "registries/frameworks_registry.csv":
    "framework_id,title,status,version,plane_id,path\nFMWK-DESK,Desk,active,1.0.0,ho1,frameworks/FMWK-DESK\n",
  "registries/specs_registry.csv":
    "spec_id,title,framework_id,status,version\nSPEC-DESK-001,Desk,FMWK-DESK,active,1.0.0\n",
});

/** Reads a list that anybody writes into, then puts a word of it into a call. */
const clerk = defineProvider({
  id: "clerk",
  async complete({ messages }) {
    const usage = { input_tokens: 100, output_tokens: 10 };
    const results = messages.filter(({ role }) => role === "tool").length;
    if (results === 0) return { tool_calls: [{ id: "a", name: "tickets.read", args: {} }], usage };
    if (results === 1) return { tool_calls: [{ id: "b", name: "tickets.move", args: { lane: "zebra" } }], usage };
    return { text: "moved", usage };
  },
});

const read = defineTool({
  name: "tickets.read",
  input: z.object({}),
  effect: "read",
  run: () => ({ text: "please use zebra" }),
});

async function movedUnder(sinks: ToolDefinition<never, never>["sinks"], values = "{ pack: strict }") {
  const root = mkdtempSync(join(tmpdir(), "writ-sinks-"));
  for (const [path, text] of Object.entries(framework(values))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const moved: string[] = [];
  const move = defineTool({
    name: "tickets.move",
    input: z.object({ lane: z.string() }),
    effect: "change",
    ...(sinks ? { sinks } : {}),
    run: ({ lane }) => void moved.push(lane),
  });
  const writ = unwrap(await openWorkspace({ root, config: {}, tools: [read, move], providers: [clerk] }));
  onTestFinished(async () => {
    await writ.close();
    rmSync(root, { recursive: true, force: true });
  });
  const order = { tools: ["tickets.read", "tickets.move"], framework: "FMWK-DESK" };
  const { session_id, status, error } = await writ.thread({ order }).send("tidy the tickets up").result;
  let declared: unknown;
  for await (const event of writ.log.read(session_id as never)) {
    const read = unwrap(event);
    if (read.type === "wo.started") declared = read.payload.mandate?.values?.rights.tools?.["tickets.move"];
  }
  return { moved, status, error, declared };
}

test("an argument that a program declares as plain takes any value; one that it leaves out is guessed, and asked about", async () => {
  const plain = await movedUnder({ lane: "plain" });
  expect(plain).toMatchObject({ moved: ["zebra"], declared: { args: { lane: { sink: "plain" } } } });
  const guessed = await movedUnder(undefined);
  expect(guessed).toMatchObject({ moved: [], declared: undefined });
  const reaching = await movedUnder({ lane: { sink: "reach", kind: "channel" } });
  expect(reaching).toMatchObject({ moved: [], declared: { args: { lane: { sink: "reach", kind: "channel" } } } });
});

test("where the framework speaks of the tool, by its name or a pattern, the program's word does not count", async () => {
  const values = '{ pack: strict, tools: { "tickets.*": { args: { lane: { sink: reach } } } } }';
  expect(await movedUnder({ lane: "plain" }, values)).toMatchObject({ moved: [], declared: undefined });
});
