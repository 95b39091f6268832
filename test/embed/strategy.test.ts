// A strategy that is code of the program: it decides the steps of its own type of order, and sessions pin it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  defineHook,
  defineProvider,
  defineStrategy,
  defineTool,
  openWorkspace,
  type SessionId,
  unwrap,
} from "../../src/embed/index.ts";

/** Thinks twice: a draft, then a better one. */
const twice = (version: string) =>
  defineStrategy({
    type: "twice",
    version,
    nextStep(_, history) {
      if (history.length === 0) return { type: "send_prompt", prompt: "a draft" };
      if (history.length === 1) return { type: "send_prompt", prompt: "a better one" };
      const [, last] = history;
      return { type: "complete", response: last?.type === "send_prompt" ? `final: ${last.response}` : "" };
    },
  });

async function place() {
  const root = mkdtempSync(join(tmpdir(), "writ-strategy-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const asked: string[] = [];
  const printed: string[] = [];
  const writer = defineProvider({
    id: "writer",
    async complete({ messages }) {
      const last = messages.at(-1);
      const words = last?.content.split("\n")[0] ?? "";
      asked.push(words);
      const usage = { input_tokens: 50, output_tokens: 10 };
      if (asked.length === 2) return { tool_calls: [{ id: "c", name: "print", args: { text: "a line" } }], usage };
      return { text: `answer ${asked.length}`, usage };
    },
  });
  const print = defineTool({
    name: "print",
    input: z.object({ text: z.string() }),
    effect: "change",
    run: ({ text }) => void printed.push(text),
  });
  const careful = defineHook({
    id: "careful",
    point: "PreToolUse",
    matcher: "print",
    decide: () => ({ decision: "ask", reason: "paper is dear" }),
  });
  const open = async (version: string) => {
    const config = { v2_features: { multi_step_enabled: true } };
    const brought = { providers: [writer], tools: [print], hooks: [careful], strategies: [twice(version)] };
    const writ = unwrap(await openWorkspace({ root, config, ...brought }));
    onTestFinished(async () => void (await writ.close()));
    return writ;
  };
  return { open, asked, printed };
}

const order = { strategy: "twice", tools: ["print"], tokens: 20_000 };

test("an order of its type is carried out in its steps, waits for a person, and goes on with the same strategy alone", async () => {
  const { open, asked, printed } = await place();
  const writ = await open("1");
  const waiting = await writ.thread({ order }).send("write a line").result;
  expect(waiting).toMatchObject({ status: "waiting" });
  const session_id = waiting.session_id as SessionId;
  await writ.close();

  const changed = await open("2");
  const refused = await changed.resumeSession(session_id);
  expect(refused).toMatchObject({ ok: false, error: { code: "LAW_CHANGED" } });
  expect(refused.ok ? "" : refused.error.message).toContain("the strategy twice was");
  await changed.close();

  const same = await open("1");
  const [question] = unwrap(await same.inbox.list({}));
  const { approval_id = "", subject_hash = "" } = question ?? {};
  unwrap(
    await same.decisions.decide(unwrap(same.localCaller()), approval_id, {
      choice: "approve",
      subject_hash,
      reason: "",
    }),
  );
  const ended = unwrap(await same.resumeSession(session_id));
  expect(ended).toMatchObject({ status: "success", response: "final: answer 3" });
  expect(printed).toEqual(["a line"]);
  expect(asked).toHaveLength(3);
  expect(await same.verifySession(session_id)).toMatchObject({ ok: true });
});
