// Arguments of a tool call as models write them, over HTTP: read as an answer is read, recorded, and never guessed.
import { expect, test } from "vitest";
import type { Event } from "#log";
import { sentTo as sent, withModel, wordsOf as words } from "../support/with-model.ts";

const files = { "notes.md": "one\ntwo\nthree\n" };
const whole = '{"path": "notes.md"}';
const readsOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "answer.read" ? [event.payload] : []));
const callsOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "tool.invoke" ? [event.payload] : []));

test.each([
  ["in a fence", `\`\`\`json\n${whole}\n\`\`\``, ["fence"]],
  ["after prose", `I read the notes. ${whole}`, ["prose"]],
  ["behind reasoning", `<think>the notes</think>${whole}`, ["reasoning"]],
  ["encoded twice", JSON.stringify(whole), ["JSON as text"]],
  ["with a trailing comma", '{"path": "notes.md",}', ["trailing comma"]],
  ["in a list of one", `[${whole}]`, ["list of one"]],
  ["under the tool's name", `{"fs.read": ${whole}}`, ["envelope"]],
  ["as a call within the call", `{"name": "fs.read", "arguments": ${whole}}`, ["call as text"]],
  ["with a number as text", '{"path": "notes.md", "start_line": "1"}', ["text as number /start_line"]],
  ["with null for what may be absent", '{"path": "notes.md", "line_count": null}', ["null left out /line_count"]],
])("arguments %s make the call, and the record says how they were read", async (_, input, steps) => {
  await using bench = await withModel({ files });
  const { vendor, workspace } = bench;
  vendor.will({ calls: [{ id: "call-1", name: "fs__read", input }] }, { text: "It has three lines." });
  const result = await workspace.ask("how many lines have the notes?");
  expect(result).toMatchObject({ status: "success", response: "It has three lines." });
  expect(words(sent(vendor)[1])).toContain("three");
  const events = await workspace.events(result.session_id);
  expect(callsOf(events)).toMatchObject([{ name: "fs.read", call_id: "call-1", args: { path: "notes.md" } }]);
  expect(readsOf(events)).toMatchObject([{ schema_id: "fs.read", call_id: "call-1", reader: "v1", steps }]);
  const types = events.map(({ type }) => type);
  expect(types.indexOf("answer.read")).toBeLessThan(types.indexOf("tool.invoke"));
});

test("arguments that satisfy their tool as they stand take no step", async () => {
  await using bench = await withModel({ files });
  const { vendor, workspace } = bench;
  vendor.will({ calls: [{ id: "call-1", name: "fs__read", input: whole }] }, { text: "Three." });
  const events = await workspace.events((await workspace.ask("how many?")).session_id);
  expect(callsOf(events)).toHaveLength(1);
  expect(readsOf(events)).toEqual([]);
});

test.each([
  ["are cut", '{"path": "notes', "not JSON"],
  ["are two objects", `${whole} ${whole}`, "not JSON"],
  ["are a text", '"notes.md"', "no object"],
])("arguments that %s are never made a call: the model is told, and calls again", async (_, input, why) => {
  await using bench = await withModel({ files });
  const { vendor, workspace } = bench;
  vendor.will(
    { calls: [{ id: "call-1", name: "fs__read", input }] },
    { calls: [{ id: "call-2", name: "fs__read", input: whole }] },
    { text: "Three." },
  );
  const result = await workspace.ask("how many lines have the notes?");
  expect(result).toMatchObject({ response: "Three." });
  expect(words(sent(vendor)[1])).toContain(why);
  expect(callsOf(await workspace.events(result.session_id))).toMatchObject([{ call_id: "call-2" }]);
});

test("wrapped arguments that break the schema are refused where they break it", async () => {
  await using bench = await withModel({ files });
  const { vendor, workspace } = bench;
  const input = '```json\n{"path": "notes.md", "start_line": "first"}\n```';
  vendor.will({ calls: [{ id: "call-1", name: "fs__read", input }] }, { text: "I could not." });
  await workspace.ask("how many lines have the notes?");
  expect(words(sent(vendor)[1])).toContain("SCHEMA_VIOLATION");
  expect(words(sent(vendor)[1])).toContain("start_line");
});

test("a secret in wrapped arguments reaches the tool, and the record has its handle", async () => {
  await using bench = await withModel({ files });
  const { vendor, workspace } = bench;
  const secret = "Tr0ub4dor-and-3-horses";
  const args = {
    path: "deploy.md",
    content: `postgres://ada:${secret}@db/notes\n`,
    expected_hash: "",
    why: "asked for",
  };
  const input = `\`\`\`json\n${JSON.stringify(args)}\n\`\`\``;
  vendor.will({ calls: [{ id: "call-1", name: "fs__write", input }] }, { text: "Written." });
  const result = await workspace.ask("write how to deploy", { allow: ["deploy.md"] });
  expect(result).toMatchObject({ status: "success" });
  expect(await workspace.read("deploy.md")).toBe(args.content);
  const events = await workspace.events(result.session_id);
  expect(readsOf(events)).toMatchObject([{ schema_id: "fs.write", steps: ["fence"] }]);
  expect(JSON.stringify(events)).not.toContain(secret);
});
