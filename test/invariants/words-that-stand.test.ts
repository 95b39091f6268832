// A person's word counts once it has been carried out and recorded; until then nobody can contradict it, and anybody can finish it.
import { expect, test } from "vitest";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { EventInput } from "#log";
import { createInbox } from "#people";
import { manualClock } from "../../src/core/values/manual-clock.ts";
import { openSharedStore } from "../../src/operate/store/sqlite-shared-store.ts";
import { type CarriedOut } from "../../src/people/approvals/consequence.ts";
import { askPlainly } from "../support/plain-question.ts";

const bob = { id: "bob", roles: [], grants: ["approve"], authenticatedBy: "api_key" as const };
const eve = { ...bob, id: "eve" };
const full = err(domainError("LEDGER_UNAVAILABLE", "no space left on device"));

async function asked() {
  const clock = manualClock(Date.UTC(2026, 10, 15));
  const store = openSharedStore(":memory:", clock);
  if (!store.ok) throw new Error(store.error.message);
  const told: EventInput[] = [];
  const disk: { full: boolean } = { full: false };
  const inbox = createInbox({
    store: store.value,
    clock,
    expiresInMs: 1000,
    self: "never",
    redact: (subject) => subject,
    record: async (event): Promise<Result<void>> => {
      if (disk.full) return full;
      told.push(event);
      return ok(undefined);
    },
  });
  const { approval_id, subject_hash } = await askPlainly(inbox, { occasion: "1", subject: { a: 1 } });
  const say = (choice: string, follows: CarriedOut = { state: "done" }, by = bob) =>
    inbox.decide(by, approval_id, { choice, subject_hash, reason: "" }, async () => ok(async () => follows));
  const decisions = () => told.filter(({ type }) => type === "approval.decided").map(({ payload }) => payload);
  return {
    clock,
    disk,
    say,
    decisions,
    inbox,
    approval_id,
    subject_hash,
    find: () => inbox.find(approval_id),
    [Symbol.asyncDispose]: async () => store.value.close(),
  };
}

test("a word whose effect is refused is nobody's word: the question is open as before, and nothing is recorded", async () => {
  await using question = await asked();
  const refused = err(domainError("CAPABILITY_VIOLATION", "it cannot land"));
  expect(await question.say("approve", { state: "refused", error: refused })).toEqual(refused);
  expect(await question.find()).toMatchObject({ value: { state: "open", choice: null, decided_by: null } });
  expect(question.decisions()).toEqual([]);
  expect(await question.say("deny")).toMatchObject({ value: { state: "denied" } });
});

test("an effect that cannot be had refuses the word before it is said", async () => {
  await using question = await asked();
  const { inbox, approval_id, subject_hash } = question;
  const never = err(domainError("WRITE_CONFLICT", "it has changed"));
  const wish = { choice: "approve", subject_hash, reason: "" };
  expect(await inbox.decide(bob, approval_id, wish, async () => never)).toEqual(never);
  expect(await question.find()).toMatchObject({ value: { state: "open", choice: null } });
});

test("a word that was not carried out to its end stands: the opposite is refused, and who repeats it goes on", async () => {
  await using question = await asked();
  expect(await question.say("approve", { state: "failed", error: full })).toEqual(full);
  expect(await question.find()).toMatchObject({
    value: { state: "open", choice: "approve", decided_by: "bob", decided_at: null },
  });
  expect(question.decisions()).toEqual([]);
  expect(await question.say("deny", { state: "done" }, eve)).toMatchObject({
    error: { code: "WRITE_CONFLICT", message: expect.stringContaining('bob said "approve"') },
  });
  question.clock.advance(5000); // it was said in time
  expect(await question.say("approve", { state: "done" }, eve)).toMatchObject({
    value: { state: "approved", decided_by: "bob", decided_at: "2026-11-15T00:00:05.000Z" },
  });
  expect(question.decisions()).toMatchObject([{ choice: "approve", by: "bob" }]);
});

test("a decision that could not be recorded does not count until it is", async () => {
  await using question = await asked();
  question.disk.full = true;
  expect(await question.say("approve")).toEqual(full);
  expect(await question.find()).toMatchObject({ value: { state: "open", choice: "approve" } });
  question.disk.full = false;
  expect(await question.say("deny")).toMatchObject({ ok: false, error: { code: "WRITE_CONFLICT" } });
  expect(await question.say("approve")).toMatchObject({ value: { state: "approved" } });
  expect(question.decisions()).toHaveLength(1);
});

test("a question that nobody needs to answer any more says why, and takes no answer", async () => {
  await using question = await asked();
  const { inbox, approval_id } = question;
  await question.say("approve", { state: "failed", error: full });
  expect(await inbox.supersede(approval_id, "eve", "it changed again")).toEqual(ok(undefined));
  expect(await question.find()).toMatchObject({
    value: { state: "superseded", decided_by: "eve", decision_reason: "it changed again" },
  });
  expect(question.decisions()).toMatchObject([{ choice: "superseded", by: "eve", reason: "it changed again" }]);
  expect(await question.say("approve")).toMatchObject({
    error: { code: "WRITE_CONFLICT", message: expect.stringContaining("superseded: it changed again") },
  });
  expect(await inbox.supersede(approval_id, "eve", "again")).toEqual(ok(undefined));
  expect(question.decisions()).toHaveLength(1);
});
