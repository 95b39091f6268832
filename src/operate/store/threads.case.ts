import { describe, expect, test } from "vitest";
import type { Result } from "#core/values";
import { manualClock } from "../../core/values/manual-clock.ts";
import type { SharedStoreCase } from "./shared-store.case.ts";

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};
const thread_id = "THR-20261115-a";
const sent_at = "2026-11-15T10:00:00.000Z";
const waits = { thread_id, position: null, session_id: null, waiting: "{}", sent_at, begun: false };
const at = (message_id: string, session_id: string) => ({ thread_id, message_id, session_id });
const yes = (answers: readonly Result<boolean>[]) => answers.map(must).filter(Boolean).length;

/** What every driver of the shared store keeps of threads, for two processes at once. */
export function threadCases(driver: string, cases: SharedStoreCase): void {
  describe(`threads on ${driver}`, () => {
    test("a position is taken once; a message that waits is begun, taken or withdrawn, and only one of these", async () => {
      const clock = manualClock();
      const [one, two] = [await cases.open("threads", clock), await cases.open("threads", clock)];
      const first = { ...waits, position: 1, session_id: "S1", waiting: null };
      const added = await Promise.all(
        [one, two].map(async (store, index) => store.addMessage({ ...first, message_id: `MSG-${index + 1}` })),
      );
      expect(yes(added)).toBe(1);
      const [begun = ""] = must(await one.messagesOf(thread_id)).map(({ message_id }) => message_id);
      expect(must(await two.confirmMessage(at(begun, "S1")))).toBe(true);
      expect(must(await two.dropMessage(at(begun, "S1")))).toBe(false);
      for (const message_id of ["MSG-3", "MSG-4", "MSG-5"]) must(await one.addMessage({ ...waits, message_id }));
      expect(must(await one.waitingThreads(9))).toEqual([thread_id]);
      const taken = await Promise.all(
        [one, two].map(async (store, index) =>
          store.beginMessage({ ...at(`MSG-${index + 3}`, `S${index + 3}`), position: 2 }),
        ),
      );
      expect(yes(taken)).toBe(1);
      const third =
        must(await one.messagesOf(thread_id)).find(({ position }) => position === 2)?.message_id === "MSG-3";
      const [held, left] = third ? ["MSG-3", "MSG-4"] : ["MSG-4", "MSG-3"];
      expect(must(await two.dropMessage(at(held, third ? "S3" : "S4")))).toBe(true);
      expect(must(await one.takeMessage(at(held, "S1")))).toBe(true);
      expect(must(await two.takeMessage(at(held, "S9")))).toBe(false);
      expect(must(await two.withdrawMessage(thread_id, left))).toBe(true);
      expect(must(await one.withdrawMessage(thread_id, held))).toBe(false);
      expect(must(await one.messagesOf(thread_id))).toMatchObject([
        { message_id: begun, position: 1, session_id: "S1", waiting: null, begun: true },
        { message_id: held, position: null, session_id: "S1", waiting: null, begun: true },
        { message_id: "MSG-5", position: null, session_id: null, waiting: "{}", begun: false },
      ]);
      const head = { thread_id, message_id: begun, position: 1, session_id: "S1", sent_at };
      expect(must(await two.threads(9))).toEqual([head]);
      expect(must(await two.threads(9, head))).toEqual([]);
      await one.close();
      await two.close();
    });
  });
}
