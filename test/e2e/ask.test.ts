// An agent that needs to know something asks a person, through the inbox.
import { expect, test } from "vitest";
import { cli } from "../support/fresh-cli.ts";
import { valueOf } from "../support/tool-bench.ts";
import { calling, type ModelBench, sentTo, withModel, wordsOf } from "../support/with-model.ts";

const budget = { token_limit: 60_000, turn_limit: 30, timeout_seconds: 60 };
const order = {
  type: "solo",
  input: { prompt: "compare apples and pears" },
  scope: { allowed_files: ["notes/**"], read_files: ["**"] },
  tool_permissions: ["fs.*", "delegate", "ask"],
  delegation: { max_depth: 2 },
  budget,
  schema_version: "v2",
};

/** Answers by what the last message of the person is about, because tasks run at once. */
const byTask = (answers: Record<string, (at: number) => object>) => {
  const at = new Map<string, number>();
  return ({ body }: { readonly body: Record<string, unknown> }) => {
    const messages = body["messages"] as { role: string; content: unknown }[];
    const asked = String(messages.findLast(({ role }) => role === "user")?.content);
    const name = Object.keys(answers).find((key) => asked.includes(key)) ?? "";
    const count = (at.get(name) ?? 0) + 1;
    at.set(name, count);
    return (answers[name]?.(count) ?? { text: `nothing about ${asked}` }) as { text: string };
  };
};

const decide = async ({ workspace }: ModelBench, choice: string, reason: string) => {
  const found = await workspace.runtime.inbox.list({ limit: 1, state: "open" });
  const by = workspace.runtime.localCaller();
  const [asked] = found.ok ? found.value : [];
  if (!asked || !by.ok) throw new Error("nobody was asked");
  const decided = await workspace.runtime.decisions.decide(by.value, asked.approval_id, {
    choice,
    subject_hash: asked.subject_hash,
    reason,
  });
  expect(decided).toMatchObject({ ok: true });
  return asked;
};

test("a question waits in the inbox; its answer goes on where the work stopped, and a word below goes up", async () => {
  await using bench = await withModel();
  const { vendor, workspace } = bench;
  vendor.will(calling("ask", { question: "Which port?", options: ["80", "8080"] }), { text: "Port 8080 it is." });
  const waiting = await workspace.ask("set the port");
  expect(waiting).toMatchObject({ status: "waiting" });
  const asked = await decide(bench, "answer", "8080, please");
  expect(asked).toMatchObject({ kind: "agent_question", reason: "Which port? (80 | 8080)" });
  await workspace.reopen();
  const resumed = await workspace.runtime.resumeSession(waiting.session_id as never);
  expect(resumed).toMatchObject({ ok: true, value: { status: "success", response: "Port 8080 it is." } });
  expect(wordsOf(sentTo(vendor).at(-1))).toContain("8080, please");
  expect(vendor.requests).toHaveLength(2);
  expect(await workspace.runtime.verifySession(waiting.session_id as never)).toMatchObject({ ok: true });
});

test("an answer without words is refused, on the command line with how it is said: none is made up for the person", async () => {
  await using bench = await withModel();
  const { vendor, workspace } = bench;
  vendor.will(calling("ask", { question: "Which colour?" }), { text: "Blue it is." });
  const waiting = await workspace.ask("paint it");
  const [asked] = valueOf(await workspace.runtime.inbox.list({ limit: 1, state: "open" }));
  expect(asked?.title).toBe("The agent asks: Which colour?");
  const id = asked?.approval_id ?? "";
  const { root } = workspace;
  await workspace.runtime.close();
  expect((await cli(root, "inbox", "show", id)).text).toContain('--choice answer --reason "…"');
  for (const said of [[], ["--reason", " "]]) {
    const refused = await cli(root, "inbox", "approve", id, "--choice", "answer", ...said);
    expect(refused).toMatchObject({ status: 2, errors: expect.stringContaining("the reason is the answer") });
  }
  expect(await cli(root, "inbox", "approve", id, "--choice", "answer", "--reason", "blue")).toMatchObject({
    status: 0,
  });
  const resumed = await cli(root, "session", "resume", waiting.session_id ?? "");
  expect(resumed).toMatchObject({ status: 0, text: expect.stringContaining("Blue it is.") });
  expect(wordsOf(sentTo(vendor).at(-1))).toContain('"answer":"blue"');
});

test("an order below that waits for a person stops the one above, and both go on together", async () => {
  await using bench = await withModel({ config: { v2_features: { delegation_enabled: true } } });
  const { vendor, workspace } = bench;
  const first = byTask({
    compare: (count) =>
      count === 1 ? calling("delegate", { tasks: [{ prompt: "about the pear" }] }) : { text: "Compared." },
    pear: (count) => (count === 1 ? calling("ask", { question: "Which pear?" }) : { text: "The green one." }),
  });
  vendor.will(first);
  const waiting = await workspace.order(order);
  expect(waiting.error_code).toBe("EFFECT_IN_DOUBT");
  await decide(bench, "answer", "the green one");
  await workspace.reopen();
  const resumed = await workspace.runtime.resumeSession(waiting.session_id as never);
  expect(resumed).toMatchObject({ ok: true, value: { status: "success", response: "Compared." } });
  expect(vendor.requests).toHaveLength(4);
});
