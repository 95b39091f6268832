// A process that dies at any event of a call with several attempts: the session that goes on has paid for each of them once.
import { describe, expect, test } from "vitest";
import { domainError } from "#core/errors";
import { err, ok, seededRandom, systemClock } from "#core/values";
import type { Event, SessionLog } from "#log";
import { modelHarness } from "../../../test/support/model.ts";
import type { Provider } from "../../agents/models/provider.ts";
import { retrying } from "../../agents/models/retrying.ts";
import { eventKinds } from "../../main/tables/events.ts";
import { layeredSession } from "../flow/layered-session.ts";
import { OwnHistory } from "./own-history.ts";
import { replayOwnRecord } from "./replaying-session.ts";

/** Cut off, refused, answered. */
const answers = [{ sent: true }, { sent: true, usage: { input_tokens: 0, output_tokens: 0 } }, "fine"] as const;

function provider(): Provider {
  let asked = 0;
  const once: Provider = {
    id: "fake",
    async complete({ request: { model } }) {
      const answer = answers[asked++] ?? "fine";
      if (answer !== "fine") return err(domainError("PROVIDER_ERROR", "down", { details: answer }));
      const usage = { input_tokens: 10, output_tokens: 5 };
      return ok({ text: "fine", tool_calls: [], finish_reason: "stop", usage, model, schema_version: "v1" });
    },
  };
  const rules = { attempts: 3, first_delay_ms: 1, max_delay_ms: 1, limit_ms: 1_000 };
  return retrying(once, rules, systemClock, seededRandom(1));
}

async function first() {
  const harness = await modelHarness(provider());
  expect(await harness.router.send(harness.request("hi"))).toMatchObject({ ok: true });
  return harness.recorder.events;
}

/** What the events say was spent; a reservation without an end counts in full. */
function spentBy(events: readonly Event[]): number {
  const calls = new Map<string, number>();
  for (const { type, payload } of events) {
    if (type !== "budget.updated") continue;
    const { action, reservation_id = "", input_tokens, output_tokens } = payload;
    if (action === "reserve" || action === "settle") calls.set(reservation_id, input_tokens + output_tokens);
  }
  return [...calls.values()].reduce((sum, tokens) => sum + tokens, 0);
}

describe("a call of three attempts", () => {
  test("has a reservation and a settlement for each, and an answer with the usage of all", async () => {
    const events = await first();
    const written = events.map((event) => (event.type === "budget.updated" ? event.payload.action : event.type));
    expect(written.join(" ")).toBe(
      "allocate reserve llm.request llm.attempt settle reserve llm.attempt settle reserve llm.response settle",
    );
    const response = events.find((event) => event.type === "llm.response");
    expect(spentBy(events)).toBe(
      (response?.payload.usage.input_tokens ?? 0) + (response?.payload.usage.output_tokens ?? 0),
    );
  });

  test.each(Array.from({ length: 10 }, (_, index) => index + 2))("survives a stop after event %i", async (kept) => {
    const record = (await first()).slice(0, kept);
    const again = await modelHarness(provider(), { seed: 8 });
    const past = new OwnHistory(record.slice(1), eventKinds);
    const written = again.recorder.events;
    const session = layeredSession(again.recorder as unknown as SessionLog, [replayOwnRecord(past)]);
    const answered = await again.router.send({ ...again.request("hi"), recorder: session });
    expect(answered).toMatchObject({ ok: true, value: { text: "fine" } });
    const whole = [...record, ...written.slice(1)];
    const status = await again.budgeter.status(again.scope);
    expect(status).toMatchObject({ ok: true, value: { reserved: { tokens: 0 }, spent: { turns: 1 } } });
    const spent = status.ok ? status.value.spent.input_tokens + status.value.spent.output_tokens : 0;
    expect(spent).toBe(spentBy(whole));
    const responses = whole.filter((event) => event.type === "llm.response");
    expect(
      responses.reduce((sum, { payload }) => sum + payload.usage.input_tokens + payload.usage.output_tokens, 0),
    ).toBe(spent);
    expect(past.untaken()).toEqual([]);
    const ends = whole.filter((event) => event.type === "budget.updated" && event.payload.action === "settle");
    expect(new Set(ends.map(({ payload }) => (payload as { reservation_id: string }).reservation_id)).size).toBe(
      ends.length,
    );
  });
});
