import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { openSqlite } from "#core/database";
import type { RunId } from "#core/values";
import type { EventRow } from "../../records.ts";
import { createEventWriter } from "./write-events.ts";

const table = `CREATE TABLE event_log (tenant_id TEXT NOT NULL, run_id TEXT NOT NULL, seq INTEGER NOT NULL,
  event_type TEXT NOT NULL, payload TEXT NOT NULL, actor_id TEXT NOT NULL, created_at INTEGER NOT NULL,
  PRIMARY KEY (run_id, seq)) STRICT, WITHOUT ROWID`;

const database = openSqlite(":memory:");
if (!database.ok) throw new Error(database.error.message);
database.value.exec(table);
const write = createEventWriter(database.value, "default");
const empty = database.value.prepare("DELETE FROM event_log");
const read = database.value.prepare(
  "SELECT run_id, seq, event_type, payload, actor_id, created_at FROM event_log ORDER BY run_id, seq",
);
afterAll(() => database.value.close());

function rowsWritten(events: readonly EventRow[]): unknown[] {
  empty.run();
  write(events);
  return read.all();
}

/** Numbers the events as a run's counter would. */
function numbered(drafts: readonly Omit<EventRow, "seq" | "created_at">[]): EventRow[] {
  const last = new Map<string, number>();
  return drafts.map((draft) => {
    const seq = (last.get(draft.run_id) ?? 0) + 1;
    last.set(draft.run_id, seq);
    return { ...draft, seq, created_at: 1_794_700_800_000 };
  });
}

const byKey = (one: EventRow, other: EventRow): number =>
  one.run_id < other.run_id ? -1 : one.run_id > other.run_id ? 1 : one.seq - other.seq;

test("events that travel together are on disk byte for byte as they would be one by one", () => {
  const draft = fc.record({
    run_id: fc.constantFrom("RUN-a" as RunId, "RUN-b" as RunId),
    event_type: fc.constantFrom("work.leased" as const, "work.completed" as const),
    actor_id: fc.constantFrom("w1", "w2"),
    payload: fc
      .dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" }))
      .map((value) => JSON.stringify(value)),
  });
  const alike = fc
    .tuple(draft, fc.array(fc.jsonValue({ stringUnit: "binary" }), { minLength: 4, maxLength: 8 }))
    .map(([first, results]) => results.map((result) => ({ ...first, payload: JSON.stringify({ result }) })));
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          draft.map((one) => [one]),
          alike,
        ),
        { maxLength: 8 },
      ),
      (stretches) => {
        const events = numbered(stretches.flat());
        expect(rowsWritten(events)).toEqual(events.toSorted(byKey));
      },
    ),
    { numRuns: 100 },
  );
});

test("a result that is nested deeper than SQLite's JSON allows is written all the same", () => {
  const payload = `{"result":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
  const drafts = Array.from({ length: 6 }, (_, index) => ({
    run_id: "RUN-a" as RunId,
    event_type: "work.completed" as const,
    actor_id: "w1",
    payload: index === 3 ? payload : "{}",
  }));
  expect(rowsWritten(numbered(drafts))).toEqual(numbered(drafts));
});
