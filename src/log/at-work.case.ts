import { describe, expect, test } from "vitest";
import { start, value } from "../../test/support/log.ts";
import type { LogUnderTest } from "./log-under-test.case.ts";

/** The cases about who writes a session now, which every driver of the log passes. */
export function atWorkCases(name: string, subject: LogUnderTest): void {
  describe(`${name}: a session`, () => {
    test("is at work while a live process writes it, as this log and another say, and not once it was let go", async () => {
      const place = subject.place();
      const [first, second] = [subject.open(place), subject.open(place)];
      const session = value(await first.create({ tier: "ho1" }));
      value(await session.append(start));
      const other = value(await first.create({ tier: "ho1" }));
      value(await other.append(start));
      const both = [session.session_id, other.session_id];
      for (const log of [first, second]) expect([...value(await log.atWork(both))].sort()).toEqual([...both].sort());
      value(await session.release());
      for (const log of [first, second]) expect([...value(await log.atWork(both))]).toEqual([other.session_id]);
      value(await first.shutdown());
      expect([...value(await second.atWork(both))]).toEqual([]);
    });
  });
}
