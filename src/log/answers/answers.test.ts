import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event } from "../event.ts";
import { type Answers, AnswersFold, type Standing } from "./answers.ts";
import { stateOf } from "./session-state.ts";

type Said = readonly [type: string, payload: Readonly<Record<string, unknown>>];

function eventsOf(said: readonly Said[]): readonly Event[] {
  return said.map(
    ([type, payload], index) =>
      ({
        seq: index + 1,
        type,
        payload,
        ts: `2026-11-15T00:00:${String(index % 60).padStart(2, "0")}.000Z`,
      }) as unknown as Event,
  );
}

function folded(events: readonly Event[]): { readonly answers: Answers; readonly standing: Standing } {
  const fold = new AnswersFold();
  for (const event of events) fold.add(event);
  return { answers: fold.answers(), standing: fold.standing() };
}

const hash = (letter: string) => letter.repeat(64);
const usage = (input_tokens: number, output_tokens: number, cost_usd?: number) => ({
  input_tokens,
  output_tokens,
  ...(cost_usd === undefined ? {} : { cost_usd }),
});

describe("the four answers", () => {
  test("what fs.read read is named with its path, hash and trust; what fs.edit changed with its lines, once it landed", () => {
    const { answers } = folded(
      eventsOf([
        [
          "tool.invoke",
          { call_id: "c1", name: "fs.read", args: { path: "src/add.js" }, charged: ["tool_permissions[0]"] },
        ],
        [
          "tool.result",
          { call_id: "c1", name: "fs.read", status: "ok", reads: [{ path: "src/add.js", sha256: hash("a") }] },
        ],
        ["tool.output", { call_id: "c1", name: "fs.read", trust: "untrusted", shown: true, content_hash: hash("b") }],
        [
          "tool.invoke",
          {
            call_id: "c2",
            name: "fs.edit",
            args: { path: "src/add.js", edits: [{ old: "one\nreturn a - b;\nend", new: "one\nreturn a + b;\nend" }] },
          },
        ],
        [
          "turn.committed",
          { landing: "whole", outputs: [{ path: "src/add.js", sha256: hash("c"), change: "change" }] },
        ],
        ["tool.result", { call_id: "c2", name: "fs.edit", status: "ok" }],
        ["order.landed", { outputs: [{ path: "src/add.js", sha256: hash("c"), change: "change", bytes: 12 }] }],
      ]),
    );
    expect(answers.saw.items).toMatchObject([
      { kind: "file", name: "src/add.js", trust: "untrusted", hash: hash("a"), seq: 2 },
      { kind: "output", name: "fs.read", hash: hash("b"), seq: 3 },
    ]);
    expect(answers.wrote.items).toEqual([
      {
        seq: 7,
        path: "src/add.js",
        change: "change",
        state: "landed",
        hash: hash("c"),
        bytes: 12,
        added: 1,
        removed: 1,
        call_seq: 4,
      },
    ]);
  });

  test("a policy that only watches is kept apart from the rules in force", () => {
    const gated = { policy_id: "strict", rule: 2, decision: "deny", subject: "reviewer" };
    const { answers } = folded(
      eventsOf([
        ["workflow.policy_gated", { ...gated, shadow: true }],
        ["workflow.policy_gated", { ...gated, decision: "allow" }],
      ]),
    );
    expect(answers.allowed_by.items).toMatchObject([
      { rule: "strict[2]", decision: "deny", shadow: true },
      { rule: "strict[2]", decision: "allow", shadow: false },
    ]);
  });

  test("costs are listed by role and model; a refused call costs as much as it says", () => {
    const { cost } = folded(
      eventsOf([
        [
          "wo.started",
          {
            work_order_id: "WO-1",
            framework_id: "F",
            caller_id: "ada",
            budget_scope: { token_limit: 100, usd_limit: 2 },
          },
        ],
        ["llm.request", { request_id: "r1", model: "m1" }],
        ["llm.response", { request_id: "r1", role: "lead", model: "m1", usage: usage(10, 2, 0.5) }],
        ["llm.request", { request_id: "r2", model: "m2" }],
        ["llm.response", { request_id: "r2", role: "lead", usage: usage(3, 0) }],
      ]),
    ).answers;
    expect(cost).toMatchObject({ calls: 2, input: 13, output: 2, usd: 0.5, token_limit: 100, usd_limit: 2 });
    expect(cost.by.map(({ model, calls }) => [model, calls])).toEqual([
      ["m1", 1],
      ["m2", 1],
    ]);
  });
});

describe("the state of a session", () => {
  const fine: Standing = { halted: null, quarantined: 0, review: null };
  const open = { closed: false, ok: null, status: null };
  const closed = { closed: true, ok: true, status: "success" };
  const idle = { atWork: false, asked: false };

  test("running is only what a live process writes", () => {
    expect(stateOf(open, fine, { atWork: true, asked: false })).toBe("running");
    expect(stateOf(open, fine, idle)).toBe("interrupted");
    expect(stateOf(open, fine, { atWork: true, asked: true })).toBe("waiting");
  });

  test("a halted session is halted until it is resumed", () => {
    const halted = folded(eventsOf([["session.halted", { by: "ada", reason: "it smells" }]])).standing;
    expect(halted.halted).toMatchObject({ by: "ada", reason: "it smells" });
    expect(stateOf(open, halted, idle)).toBe("halted");
    const events: Said[] = [
      ["session.halted", { by: "ada", reason: "it smells" }],
      ["session.resumed", { from_seq: 1 }],
    ];
    expect(stateOf(open, folded(eventsOf(events)).standing, idle)).toBe("interrupted");
  });

  test("a failed review is never done, and quarantine shows while a person has to decide", () => {
    expect(stateOf(closed, fine, idle)).toBe("done");
    expect(stateOf(closed, { ...fine, review: "fail" }, idle)).toBe("failed");
    expect(
      stateOf({ ...closed, ok: false, status: "failure" }, { ...fine, quarantined: 1 }, { ...idle, asked: true }),
    ).toBe("quarantined");
    expect(stateOf({ closed: true, ok: false, status: "rejected" }, fine, idle)).toBe("refused");
  });
});

// A second implementation, by looking everything up in the whole list instead of folding.

const paths = ["a.md", "b.md", "c/d.md"];
const path = fc.constantFrom(...paths);
const call = fc.constantFrom("c1", "c2", "c3");
const trust = fc.constantFrom("trusted", "untrusted");
const sha = fc.constantFrom(hash("a"), hash("b"), hash("c"));
const outputs = fc.array(fc.record({ path, sha256: sha, change: fc.constantFrom("create", "change", "folder") }), {
  maxLength: 3,
});
const type = <T extends string>(name: T, payload: Record<string, fc.Arbitrary<unknown>>) =>
  fc.tuple(fc.constant(name), fc.record(payload)) as fc.Arbitrary<Said>;
const anyEvent: fc.Arbitrary<Said> = fc.oneof(
  type("tool.invoke", {
    call_id: call,
    name: fc.constantFrom("fs.write", "fs.read"),
    args: fc.record({
      path,
      content: fc.constantFrom("one\n", "one\ntwo"),
      expected_hash: fc.constantFrom("", hash("a")),
    }),
    charged: fc.constantFrom([], ["tool_permissions[0]"]),
  }),
  type("tool.result", {
    call_id: call,
    status: fc.constantFrom("ok", "error"),
    reads: fc.option(fc.array(fc.record({ path, sha256: sha }), { minLength: 1, maxLength: 2 }), { nil: undefined }),
  }),
  type("tool.output", {
    call_id: call,
    name: fc.constantFrom("fs.read", "web"),
    trust,
    shown: fc.boolean(),
    content_hash: sha,
  }),
  type("attention.assembled", {
    fragments: fc.array(
      fc.record({ origin: fc.constantFrom("file:AGENTS.md", "memory:1"), trust, hash: sha, source_hash: sha }),
      { maxLength: 2 },
    ),
  }),
  type("turn.committed", { landing: fc.constantFrom("whole", "each_turn", undefined), outputs }),
  type("order.landed", { outputs }),
  type("order.quarantined", { action: fc.constantFrom("kept", "released", "dropped"), outputs }),
  type("llm.request", { request_id: fc.constantFrom("r1", "r2"), model: fc.constantFrom("m1", "m2") }),
  type("llm.response", {
    request_id: fc.constantFrom("r1", "r2"),
    role: fc.constantFrom("lead", "worker"),
    model: fc.constantFrom("m1", undefined),
    usage: fc.record({ input_tokens: fc.nat(9), output_tokens: fc.nat(9), cost_usd: fc.constantFrom(0.5, 0.25) }),
  }),
  type("hook.fired", {
    point: fc.constant("PreToolUse"),
    handler: fc.constantFrom("guard", "hooks/ask.mjs"),
    decision: fc.constantFrom("allow", "deny"),
    subject: fc.constantFrom("fs.read", undefined),
    duration_ms: fc.nat(5),
  }),
  type("approval.decided", {
    by: fc.constantFrom("ada", "bob"),
    choice: fc.constantFrom("approve", "deny"),
    kind: fc.constant("tool_call"),
  }),
);

type Loose = Readonly<Record<string, never>> & Record<string, unknown>;
const payloadOf = (event: Event) => event.payload as unknown as Loose;

function seenAnew(events: readonly Event[]): unknown[] {
  const rows: { order: number; seq: number; row: readonly unknown[] }[] = [];
  for (const [index, event] of events.entries()) {
    const said = payloadOf(event);
    if (event.type === "attention.assembled")
      for (const one of said["fragments"] as unknown as readonly Record<string, string>[]) {
        const [kind, name] = one["origin"]?.startsWith("file:")
          ? ["file", one["origin"].slice(5)]
          : ["context", one["origin"]];
        rows.push({ order: index, seq: event.seq, row: [kind, name, one["trust"], one["source_hash"]] });
      }
    if (event.type !== "tool.output") continue;
    // The newest result of the call that no earlier output answered.
    const answered = events
      .slice(0, index)
      .findLastIndex((other) => other.type === "tool.output" && payloadOf(other)["call_id"] === said["call_id"]);
    const result = events
      .slice(answered + 1, index)
      .findLast(
        (other) =>
          other.type === "tool.result" &&
          payloadOf(other)["call_id"] === said["call_id"] &&
          payloadOf(other)["reads"] !== undefined,
      );
    for (const read of result ? (payloadOf(result)["reads"] as unknown as { path: string; sha256: string }[]) : [])
      rows.push({ order: index, seq: result?.seq ?? 0, row: ["file", read.path, said["trust"], read.sha256] });
    if (said["shown"])
      rows.push({ order: index, seq: event.seq, row: ["output", said["name"], said["trust"], said["content_hash"]] });
  }
  const first = rows.filter(({ row }, at) => rows.findIndex((other) => String(other.row) === String(row)) === at);
  return first.map(({ seq, row }) => [seq, ...row, rows.filter((other) => String(other.row) === String(row)).length]);
}

function wroteAnew(events: readonly Event[]): unknown[] {
  const states = (event: Event): string | undefined => {
    const { landing, action } = payloadOf(event) as Record<string, unknown>;
    if (event.type === "turn.committed") return landing === "whole" ? "waiting" : "landed";
    if (event.type === "order.landed") return "landed";
    if (event.type !== "order.quarantined") return undefined;
    return action === "kept" ? "quarantined" : action === "released" ? "landed" : "dropped";
  };
  const said = events.flatMap((event) =>
    states(event) === undefined
      ? []
      : (payloadOf(event)["outputs"] as unknown as { path: string; sha256: string; change: string }[])
          .filter(({ change }) => change !== "folder")
          .map((output) => ({ event, output })),
  );
  return [...new Set(said.map(({ output }) => output.path))].map((name) => {
    const last = said.findLast(({ output }) => output.path === name);
    return [name, last?.event.seq, last && states(last.event), last?.output.sha256];
  });
}

function spentAnew(events: readonly Event[]): unknown {
  const answers = events.filter((event) => event.type === "llm.response");
  const of = (event: Event) => payloadOf(event)["usage"] as unknown as Record<string, number>;
  const sum = (field: string) => answers.reduce((all, event) => all + (of(event)[field] ?? 0), 0);
  return { calls: answers.length, input: sum("input_tokens"), output: sum("output_tokens"), usd: sum("cost_usd") };
}

test("say what a second implementation says, for random sessions", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (said) => {
      const events = eventsOf(said);
      const { answers } = folded(events);
      // What was read and has no output yet stands at the end, without trust.
      const settled = answers.saw.items.filter(({ kind, trust: how }) => kind !== "file" || how !== null);
      expect(
        settled.map(({ seq, kind, name, trust: how, hash: of, times }) => [seq, kind, name, how, of, times]),
      ).toEqual(seenAnew(events));
      expect(answers.wrote.items.map(({ path: name, seq, state, hash: of }) => [name, seq, state, of])).toEqual(
        wroteAnew(events),
      );
      const { calls, input, output, usd, by } = answers.cost;
      expect({ calls, input, output, usd }).toEqual(spentAnew(events));
      expect(by.reduce((all, one) => all + one.input, 0)).toBe(input);
      const decided = events.filter(({ type: name }) => name === "hook.fired" || name === "approval.decided").length;
      const shown = answers.allowed_by.items.filter(({ kind }) => kind === "hook" || kind === "person");
      expect(shown.reduce((all, one) => all + one.times, 0)).toBe(decided);
      for (const one of shown)
        expect(String(Object.values(payloadOf(events[one.seq - 1] as Event)))).toContain(one.decision);
    }),
    { numRuns: 300 },
  );
});
