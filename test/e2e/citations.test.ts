import { afterAll, beforeAll, expect, test } from "vitest";
import { runOfApp } from "../support/run-of-app.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";
import { smallApp, want } from "../support/small-app.ts";

const search = { respond: { tool_calls: [{ name: "fs.read", args: { path: "docs/hives.md" } }] } };
const answer = (citation: object) => ({
  respond: {
    json: {
      summary: "Hives are heavy.",
      findings: [{ text: "A full hive weighs sixty kilograms.", citations: ["1"] }],
      citations: [{ id: "1", kind: "file", source: "./docs/hives.md", ...citation }],
      schema_version: "v1",
    },
  },
});
const rule = (prompt: string, call: number, said: object) => ({ when: { role: "worker", prompt, call }, ...said });
const script = {
  rules: [
    rule("invented", 1, search),
    rule("invented", 2, answer({ lines: [9000, 9010], quote: "A full hive weighs ninety kilograms" })),
    rule("invented", 3, answer({ lines: [9000, 9010], quote: "Hives were invented by the Romans in one night" })),
    rule("invented", 4, answer({ quote: "Hives were invented by the Romans in one night" })),
    rule("corrected", 1, search),
    rule("corrected", 2, answer({ quote: "A full hive weighs ninety kilograms" })),
    rule("corrected", 3, answer({ quote: "A full hive weighs sixty kilograms", lines: [1, 1] })),
  ],
};

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await testWorkspace({
    config: { provider: "scripted", script: "script.yaml", conductor: { retries: 0 } },
    files: {
      "script.yaml": JSON.stringify(script),
      "docs/hives.md": "# Hives\n\nA full hive weighs sixty kilograms.\n",
    },
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const section = { op: "section.insert", heading: "Hives", level: 2 };
const research = (question: string) =>
  runOfApp(
    workspace.runtime,
    smallApp,
    JSON.stringify([want("research", question, { target: section, base_revision_id: null })]),
  );

test("invented words never reach a document, whatever lines they are given", async () => {
  const { patches, events } = await research("What is invented about hives?");
  expect(patches).toEqual([]);
  const failed = events.find(({ event_type }) => event_type === "work.failed");
  expect(JSON.stringify(failed?.payload)).toContain("which does not stand in what was read of docs/hives.md");
});

test("words that are nearly there are answered with the right ones, once, and the note is put right", async () => {
  const { patches, events } = await research("What is corrected about hives?");
  expect(patches[0]?.ops[0]).toMatchObject({
    body: expect.stringMatching(/\]: `docs\/hives\.md`, line 3: "A full hive weighs sixty kilograms"/),
  });
  const completed = events.find(({ event_type }) => event_type === "work.completed");
  const { session_id } = (completed?.payload["result"] ?? {}) as { session_id: string };
  const recorded = await workspace.events(session_id);
  const violation = recorded.find(({ type }) => type === "schema.violation")?.payload as { message: string };
  expect(violation.message).toContain('the nearest there, on line 3: "A full hive weighs sixty kilograms"');
  const read = recorded.find(({ type }) => type === "answer.read")?.payload as { steps: string[] };
  expect(read.steps).toEqual([
    "citation 1: ./docs/hives.md is docs/hives.md",
    "citation 1: the words stand on line 3, not line 1",
  ]);
  expect((await workspace.runtime.verifySession(session_id as never)).ok).toBe(true);
});
