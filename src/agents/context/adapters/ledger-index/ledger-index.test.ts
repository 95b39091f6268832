import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "#core/values";
import { must, type RealLog, said, testLog } from "../../../../../test/support/real-log.ts";
import type { LedgerQuery } from "../../ledger/ledger-search.ts";
import { scanLedgers } from "../../ledger/scan-ledgers.ts";
import { SqliteLedgerIndex } from "./sqlite-ledger-index.ts";

const never = new AbortController().signal;
const everything: LedgerQuery = { ledger: "events", tiers: ["hot", "ho2", "ho1"], order: "newest", limit: 1000 };

function indexOf(place: RealLog): SqliteLedgerIndex {
  return new SqliteLedgerIndex({ root: place.root, clock: systemClock, refreshMs: 0, waitMs: 10_000 });
}

test("the index answers every query as a scan of the whole log does", async () => {
  const place = testLog();
  const words = ["bridge", "paint", "brücke", "red", "wall", "Ada"];
  for (let number = 0; number < 14; number++)
    await place.session({
      tier: (["ho1", "ho2", "hot"] as const)[number % 3] ?? "ho1",
      work_order_id: `WO-20261115-00${number % 4}`,
      framework_id: number % 2 ? "FMWK-005" : "FMWK-004",
      open: number === 13,
      events: Array.from({ length: 1 + (number % 5) }, (_, at) =>
        said(`${words[(number + at) % 6]} ${words[(number * 7 + at) % 6]} ${number}`, `AGT-${number % 3}`),
      ),
    });
  const index = indexOf(place);
  const scan = scanLedgers(place.log);
  const all = must(await scan.search(everything, never)).hits;
  expect(all.length).toBeGreaterThan(50);
  const some = fc.constantFrom(...all.map(({ entry }) => entry.ts));
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
  const queries = fc.record({
    ledger: fc.constantFrom("events" as const, "exec" as const, "evidence" as const),
    tiers: fc.subarray(["hot", "ho2", "ho1"] as const, { minLength: 1 }),
    order: fc.constantFrom("newest" as const, "oldest" as const),
    limit: fc.integer({ min: 1, max: 40 }),
    work_order_id: maybe(fc.constantFrom("WO-20261115-001", "WO-20261115-003", "WO-20261115-999")),
    framework_id: maybe(fc.constantFrom("FMWK-004", "FMWK-005")),
    session_id: maybe(fc.constantFrom(...all.map(({ entry }) => entry.session_id))),
    except_session_id: maybe(fc.constantFrom(...all.map(({ entry }) => entry.session_id))),
    types: maybe(fc.subarray(["session.start", "worker.report", "SESSION_START", "WORKER_REPORT", "session.close"])),
    actors: maybe(fc.subarray(["worker", "flow", "log"], { minLength: 1 })),
    agent_id: maybe(fc.constantFrom("AGT-0", "AGT-1", "AGT-9")),
    since: maybe(some),
    until: maybe(some),
    words: maybe(fc.subarray(["bridge", "paint", "brucke", "ada", "3", "nowhere"], { minLength: 1 })),
    where: maybe(fc.constant({ schema_version: "v1" })),
  });
  await fc.assert(
    fc.asyncProperty(queries, async (drawn) => {
      const query = Object.fromEntries(
        Object.entries(drawn).filter(([, value]) => value !== undefined),
      ) as unknown as LedgerQuery;
      const found = must(await index.search(query, never));
      const wanted = must(await scan.search(query, never));
      expect(found.hits).toEqual(wanted.hits);
    }),
    { numRuns: process.env["WRIT_CAMPAIGN"] ? 3_000 : 120 },
  );
  await index.close();
});

test("a session is found once it has closed, not before", async () => {
  const place = testLog();
  const index = indexOf(place);
  expect(must(await index.search(everything, never)).hits).toEqual([]);
  await place.session({ open: true, events: [said("half")] });
  expect(must(await index.search(everything, never)).hits).toEqual([]);
  const session_id = await place.session({ events: [said("whole")] });
  const hits = must(await index.search({ ...everything, words: ["whole"] }, never)).hits;
  expect(hits.map(({ entry }) => [entry.session_id, entry.type])).toEqual([[session_id, "worker.report"]]);
  await index.close();
});

test.each([
  ["events", ".events.jsonl"],
  ["exec", "ledger/exec.jsonl"],
] as const)(
  "a session whose %s were changed after indexing is left out, said so, and not believed again",
  async (ledger, file) => {
    const place = testLog();
    const index = indexOf(place);
    const session_id = await place.session({ events: [said("the true words")] });
    await place.session({ events: [said("the true words too")] });
    const query = { ...everything, ledger };
    const before = must(await index.search(query, never)).hits.length;
    const path = join(place.root, "planes/ho1/sessions", session_id, file);
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(/AGT-1|flow/, (name) => (name === "flow" ? "flaw" : "AGT-2")),
    );
    const after = must(await index.search(query, never));
    expect(after.hits.length).toBe(before / 2);
    expect(after.hits.every(({ entry }) => entry.session_id !== session_id)).toBe(true);
    expect(after.warnings.join()).toContain(session_id);
    const again = must(await index.search(query, never));
    expect(again.hits.length).toBe(before / 2);
    expect(again.warnings.join()).toContain("does not verify");
    await index.close();
  },
);

test("words in the index are never given out: what is not in the log is not found", async () => {
  const place = testLog();
  const index = indexOf(place);
  await place.session({ events: [said("bridge")] });
  must(await index.refresh());
  const database = new Database(join(place.root, "planes/hot/index/ledgers.sqlite"));
  const row = database.prepare<[], { id: number }>("SELECT max(id) AS id FROM entries").get();
  database
    .prepare(
      "INSERT OR REPLACE INTO words (rowid, text) SELECT ?, 'poison xqgroup' || \"group\" FROM entries WHERE id = ?",
    )
    .run(row?.id, row?.id);
  database.close();
  expect(must(await index.search({ ...everything, words: ["poison"] }, never)).hits).toEqual([]);
  await index.close();
});

test.each(["damage", "another version", "nothing"])("an index with %s is thrown away and made again", async (what) => {
  const place = testLog();
  await place.session({ events: [said("bridge")] });
  const first = indexOf(place);
  const hits = must(await first.search(everything, never)).hits;
  await first.close();
  const file = join(place.root, "planes/hot/index/ledgers.sqlite");
  if (what === "damage") writeFileSync(file, "this is no database, and long enough to be read as one".repeat(200));
  else if (what === "nothing") rmSync(file);
  else {
    const database = new Database(file);
    database.pragma("user_version = 77");
    database.close();
  }
  const second = indexOf(place);
  expect(must(await second.search(everything, never)).hits).toEqual(hits);
  await second.close();
});

test("two processes' indexes over one workspace find the same", async () => {
  const place = testLog();
  for (let number = 0; number < 5; number++) await place.session({ events: [said(`bridge ${number}`)] });
  const [one, two] = [indexOf(place), indexOf(place)];
  const [a, b] = await Promise.all([one.search(everything, never), two.search(everything, never)]);
  const again = must(await one.search(everything, never)).hits;
  expect(must(await two.search(everything, never)).hits).toEqual(again);
  expect(again).toHaveLength(15);
  expect([must(a).hits.length, must(b).hits.length]).toContain(15);
  await one.close();
  await two.close();
});
