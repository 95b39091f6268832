import { expect, test } from "vitest";
import type { Event } from "#log";
import { timeAtWork } from "./time-at-work.ts";

test("counts the time at work, and none in which no process had the order", () => {
  const at = (minute: number, type: string, payload: object = {}) =>
    ({ type, payload, ts: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString() }) as unknown as Event;
  const events = [
    at(0, "session.start"),
    at(2, "llm.request"),
    at(50, "turn.aborted"),
    at(50, "turn.committed", { recovered: true }),
    at(60, "session.resumed"),
    at(61, "llm.response"),
  ];
  expect(timeAtWork(events)).toBe(3 * 60_000);
  expect(timeAtWork([])).toBe(0);
});
