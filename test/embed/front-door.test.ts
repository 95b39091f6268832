// A program that brings its own tool, hook and model: what it gets through `import "writ"`, from a folder that was empty.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  defineHook,
  defineProvider,
  defineTool,
  type OpenWorkspace,
  openWorkspace,
  unwrap,
  type Workspace,
} from "../../src/embed/index.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "writ-front-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

const forecast = defineTool({
  name: "weather.forecast",
  description: "The weather of a town.",
  input: z.object({ town: z.string().min(1), days: z.number().int().default(1) }),
  output: z.object({ sky: z.string(), days: z.number() }),
  effect: "read",
  run: ({ town, days }) => ({ sky: `sun over ${town.toUpperCase()}`, days }),
});

/** Asks the tool once, then says what came of it, in pieces. */
const weatherman = defineProvider({
  id: "weatherman",
  price: { input_per_million: 1, output_per_million: 2 },
  async complete({ messages }, { text }) {
    const usage = { input_tokens: 100, output_tokens: 10 };
    const results = messages.filter(({ role }) => role === "tool");
    const asked = messages.filter(({ role }) => role === "user").length;
    if (results.length < asked)
      return { tool_calls: [{ id: "call", name: "weather.forecast", args: { town: "Oslo" } }], usage };
    for (const piece of ["It is ", "sunny."]) text(piece);
    return { text: "It is sunny.", usage };
  },
});

async function open(more: Partial<OpenWorkspace> = {}): Promise<Workspace> {
  const writ = unwrap(await openWorkspace({ root, config: {}, tools: [forecast], providers: [weatherman], ...more }));
  onTestFinished(async () => void (await writ.close()));
  return writ;
}

const granted = { order: { tools: ["weather.forecast"], tokens: 20_000 } };

test("a program answers with its own tool and model, streamed, and goes on in the same thread", async () => {
  const writ = await open();
  const thread = writ.thread(granted);
  let words = "";
  const parts: string[] = [];
  const sent = thread.send("weather in Oslo?");
  for await (const part of sent.stream()) {
    parts.push(part.type);
    if (part.type === "text") words += part.text;
    if (part.type === "call") expect(part.args).toEqual({ town: "Oslo" });
  }
  expect(words).toBe("It is sunny.");
  expect(parts).toEqual(["call", "result", "text", "text", "end"]);
  const first = await sent.result;
  expect(first).toMatchObject({ status: "success", response: "It is sunny." });
  expect(first.usd).toBeCloseTo((200 * 1 + 20 * 2) / 1e6, 9);

  const second = await thread.send("and tomorrow?").result;
  expect(second.status).toBe("success");
  for (const { session_id } of [first, second])
    expect(await writ.verifySession(session_id as never)).toMatchObject({ ok: true });
});

test("the result of a function is checked, recorded and replayed like that of any tool", async () => {
  const writ = await open();
  const { session_id } = await writ.thread(granted).send("weather in Oslo?").result;
  const output = [];
  for await (const event of writ.log.read(session_id as never)) {
    const read = unwrap(event);
    if (read.type === "tool.output") output.push(read.payload.content);
    if (read.type === "tool.invoke") expect(read.payload.args).toEqual({ town: "Oslo" });
  }
  expect(output).toEqual([{ sky: "sun over OSLO", days: 1 }]);
});

test("arguments that the schema refuses never reach the function", async () => {
  const seen: unknown[] = [];
  const strict = defineTool({
    name: "weather.forecast",
    input: z.object({ town: z.enum(["Bergen"]) }),
    effect: "read",
    run: ({ town }) => void seen.push(town),
  });
  const writ = await open({ tools: [strict] });
  const { session_id } = await writ.thread(granted).send("weather in Oslo?").result;
  expect(seen).toEqual([]);
  const types = [];
  for await (const event of writ.log.read(session_id as never)) types.push(unwrap(event).type);
  expect(types).not.toContain("tool.invoke");
});

test("a tool that no order grants is refused, and the refusal is in the result", async () => {
  const writ = await open();
  const result = await writ.thread({ order: {} }).send("weather in Oslo?").result;
  expect(JSON.stringify(result.undone)).toContain("weather.forecast");
});

test("a hook as a function denies a call, and an exception in it denies too", async () => {
  for (const decide of [
    () => ({ decision: "deny", reason: "no weather on Sundays" }) as const,
    () => {
      throw new Error("broken");
    },
  ]) {
    const noWeekends = defineHook({ id: "no-weekends", point: "PreToolUse", matcher: "weather.*", decide });
    const writ = await open({ hooks: [noWeekends] });
    const { undone } = await writ.thread(granted).send("weather in Oslo?").result;
    expect(JSON.stringify(undone)).toMatch(/no weather on Sundays|no-weekends/);
    await writ.close();
  }
});

test("what a provider throws is the failure of the call", async () => {
  const broken = defineProvider({
    id: "broken",
    complete: async () => {
      throw Object.assign(new Error("out of order"), { retryable: false });
    },
  });
  const writ = await open({ providers: [broken] });
  const result = await writ.thread(granted).send("weather in Oslo?").result;
  expect(result).toMatchObject({ status: "failure", error_code: "PROVIDER_ERROR" });
  expect(result.error).toContain("out of order");
});

test("a provider that does not say what it used is charged what was set aside", async () => {
  const silent = defineProvider({ id: "silent", complete: async () => ({ text: "It may rain." }) });
  const writ = await open({ providers: [silent] });
  const { tokens_used } = await writ.thread(granted).send("weather in Oslo?").result;
  expect(tokens_used).toMatchObject({ estimated: true });
  expect(tokens_used?.output).toBeGreaterThan(0);
});

test("a provider under a name that another profile has is refused, not left out", async () => {
  const named = (id: string) => defineProvider({ id, complete: async () => ({ text: "" }) });
  for (const [config, providers] of [
    [{}, [named("default")]],
    [{}, [named("mine"), named("mine")]],
    [{ profiles: { mine: { provider: "scripted" } } }, [named("mine")]],
  ] as const) {
    const opened = await openWorkspace({ root, config, providers });
    expect(opened).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
  }
});

test("the budget of the order ends it", async () => {
  const writ = await open();
  const result = await writ.thread({ order: { tools: ["weather.forecast"], tokens: 50 } }).send("weather in Oslo?")
    .result;
  expect(["budget_exhausted", "rejected"]).toContain(result.status);
});

test("schemas of valibot and arktype and plain JSON Schema are taken as well", async () => {
  const answers: unknown[] = [];
  const inputs = [
    toStandardJsonSchema(v.object({ town: v.string() })),
    type({ town: "string" }),
    { type: "object", properties: { town: { type: "string" } }, required: ["town"], additionalProperties: false },
  ];
  for (const input of inputs) {
    const tool = defineTool({
      name: "weather.forecast",
      input,
      effect: "read",
      run: (args) => void answers.push(args),
    });
    const writ = await open({ tools: [tool] });
    await writ.thread(granted).send("weather in Oslo?").result;
    await writ.close();
  }
  expect(answers).toEqual([{ town: "Oslo" }, { town: "Oslo" }, { town: "Oslo" }]);
});

test("a schema that cannot be said as JSON Schema is refused by name when the workspace is opened", async () => {
  const dated = defineTool({
    name: "diary.add",
    input: z.object({ day: z.date() }),
    effect: "change",
    run: () => null,
  });
  const opened = await openWorkspace({ root, config: {}, tools: [dated] });
  expect(opened).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
  expect(opened.ok ? "" : opened.error.message).toContain("diary.add");
});

test("a configuration as an object makes the folder a workspace that the command line reads the same way", async () => {
  const writ = await open({ config: { limits: { tool_timeout_seconds: 7 } } });
  expect(writ.config.limits.tool_timeout_seconds).toBe(7);
  expect(readFileSync(join(root, "writ.yaml"), "utf8")).toContain("tool_timeout_seconds: 7");
  await writ.close();
  const again = await open({ config: { limits: { tool_timeout_seconds: 8 } } });
  expect(again.config.limits.tool_timeout_seconds).toBe(8);
  expect(readFileSync(join(root, "writ.yaml"), "utf8")).toContain("tool_timeout_seconds: 8");
});

test("an unknown key of such an object is refused with a suggestion, and nothing is made", async () => {
  const opened = await openWorkspace({ root, config: { limit: {} } as never });
  expect(opened.ok ? "" : opened.error.message).toMatch(/unknown key "limit".*limits/);
  expect(() => readFileSync(join(root, "writ.yaml"))).toThrow();
});

test("a folder that is there becomes a workspace with its first use; one that is not there is not made", async () => {
  const without = { tools: [forecast], providers: [weatherman] };
  const writ = unwrap(await openWorkspace({ root, ...without }));
  expect(await writ.thread(granted).send("weather in Oslo?").result).toMatchObject({ status: "success" });
  await writ.close();
  writeFileSync(join(root, "writ.yaml"), "limits: { tool_timeout_seconds: 9 }\n");
  const again = unwrap(await openWorkspace({ root, ...without }));
  expect(again.config.limits.tool_timeout_seconds).toBe(9);
  await again.close();
  for (const opened of [await openWorkspace({ root: join(root, "typo") }), await openWorkspace(tmpdir())])
    expect(opened).toMatchObject({ ok: false, error: { code: "WORKSPACE_NOT_FOUND" } });
});

test("a folder with a writ.yaml of its own takes no second configuration", async () => {
  await (await open()).close();
  writeFileSync(join(root, "writ.yaml"), "limits: {}\n");
  const opened = await openWorkspace({ root, config: {} });
  expect(opened).toMatchObject({ ok: false, error: { code: "CONFIG_INVALID" } });
});

test("the inbox can be listed without saying how much of it", async () => {
  const writ = await open();
  expect(unwrap(await writ.inbox.list({}))).toEqual([]);
});
