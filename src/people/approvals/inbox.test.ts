import { afterAll, expect, test } from "vitest";
import { type Caller, type JsonObject, type JsonValue, ok } from "#core/values";
import { askPlainly } from "../../../test/support/plain-question.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import { openSharedStore } from "../../operate/store/sqlite-shared-store.ts";
import type { SelfApproval } from "./decide-approval.ts";
import { createInbox } from "./inbox.ts";

const clock = manualClock(Date.UTC(2026, 10, 15));
const opened = openSharedStore(":memory:", clock);
if (!opened.ok) throw new Error(opened.error.message);
const store = opened.value;
afterAll(() => store.close());

const caller = (id: string, authenticatedBy: Caller["authenticatedBy"], grants = ["approve"]): Caller => ({
  id,
  roles: [],
  grants,
  authenticatedBy,
});
const bob = caller("bob", "api_key");
let occasions = 0;

async function question(options: { self?: SelfApproval; subject?: JsonObject; occasion?: string } = {}) {
  const inbox = createInbox({
    store,
    clock,
    expiresInMs: 1000,
    self: options.self ?? "never",
    redact: (subject) => subject,
    record: async () => ok(undefined),
  });
  const asked = await askPlainly(inbox, {
    occasion: options.occasion ?? `occasion ${++occasions}`,
    subject: options.subject ?? { args: { amount: 1 } },
  });
  const { approval_id, subject_hash } = asked;
  const say = (by: Caller, more: { choice?: string; subject_hash?: string; result?: JsonValue } = {}) =>
    inbox.decide(by, approval_id, { choice: "approve", subject_hash, reason: "", ...more });
  return { asked, say };
}

test("who asked does not decide: not over the network, and at this machine only where the workspace lets them", async () => {
  const refused = { ok: false, error: { code: "NOT_AUTHORIZED", message: expect.stringContaining("asked for this") } };
  const strict = await question();
  for (const way of ["local", "api_key", "dev"] as const)
    expect(await strict.say(caller("ada", way))).toMatchObject(refused);
  const local = await question({ self: "local" });
  for (const way of ["api_key", "dev"] as const) expect(await local.say(caller("ada", way))).toMatchObject(refused);
  expect(await local.say(caller("ada", "local"))).toMatchObject({ value: { state: "approved", decided_by: "ada" } });
});

test("only who holds the right decides, about what was shown, with one of the choices", async () => {
  const { asked, say } = await question();
  expect(await say(caller("eve", "local", ["read"]))).toMatchObject({ error: { code: "NOT_AUTHORIZED" } });
  expect(await say(bob, { subject_hash: "0".repeat(64) })).toMatchObject({ error: { code: "WRITE_CONFLICT" } });
  expect(await say(bob, { choice: "perhaps" })).toMatchObject({ error: { code: "MALFORMED_INPUT" } });
  expect(asked.state).toBe("open");
});

test("a yes holds for these arguments on this occasion: others are a question of their own", async () => {
  const occasion = "one call";
  const one = await question({ occasion, subject: { args: { amount: 1 } } });
  expect(await one.say(bob)).toMatchObject({ value: { state: "approved" } });
  expect((await question({ occasion, subject: { args: { amount: 1 } } })).asked.state).toBe("approved");
  expect((await question({ occasion, subject: { args: { amount: 1000 } } })).asked.state).toBe("open");
  expect((await question({ occasion: "another call", subject: { args: { amount: 1 } } })).asked.state).toBe("open");
});

test("from the millisecond at which it expires nobody can decide it", async () => {
  const early = await question();
  const late = await question();
  clock.advance(999);
  expect(await early.say(bob)).toMatchObject({ value: { state: "approved" } });
  clock.advance(1);
  expect(await late.say(bob)).toMatchObject({
    ok: false,
    error: { code: "WRITE_CONFLICT", details: { state: "expired" } },
  });
});

test("of two who speak at once one is heard, and the other is told", async () => {
  const { say } = await question();
  const answers = await Promise.all([say(bob), say(caller("eve", "api_key"), { choice: "deny" })]);
  expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
  expect(answers.find((answer) => !answer.ok)).toMatchObject({ error: { code: "WRITE_CONFLICT" } });
});
