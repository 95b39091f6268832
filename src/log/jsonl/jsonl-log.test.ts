import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ledgerRules } from "#core/contracts";
import { createIds, type Result, seededRandom, systemClock, systemRandom } from "#core/values";
import { halted, ledgerTexts, output, start, temporaryFolder, testLog, value } from "../../../test/support/log.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import { eventLogCases } from "../event-log.case.ts";
import type { SessionInfo } from "../event-log.ts";
import { JsonlReader } from "./jsonl-reader.ts";
import { sessionPaths } from "./paths.ts";

eventLogCases("JSONL files", {
  place: temporaryFolder,
  open: (root, { redactor, maxPayloadBytes } = {}) =>
    testLog(root, { ...(redactor ? { redactor } : {}), ...(maxPayloadBytes ? { limits: { maxPayloadBytes } } : {}) }),
});

// The same with a journal so small that it rotates all the time, and files that are written at once.
eventLogCases("JSONL files, rotating", {
  place: temporaryFolder,
  open: (root, { redactor } = {}) =>
    testLog(root, { ...(redactor ? { redactor } : {}), limits: { journalBytes: 2_000, maxBehindBytes: 1, idleMs: 1 } }),
});

test("random ids that repeat overwrite no existing session", async () => {
  const root = temporaryFolder();
  const clock = manualClock(1_763_200_000_000);
  const begin = () => testLog(root, { clock, ids: createIds(clock, seededRandom(7)) });
  const log = begin();
  const session = value(await log.create({ tier: "ho1" }));
  for (const event of [start, halted("first")]) value(await session.append(event));
  value(await log.shutdown());
  const { events } = sessionPaths(root, "ho1", session.session_id);
  const before = readFileSync(events, "utf8");
  const again = await begin().create({ tier: "ho1" });
  expect(again).toMatchObject({ ok: false, error: { code: "SESSION_BUSY", retryable: false } });
  expect(again.ok ? "" : again.error.message).toContain(session.session_id);
  expect(readFileSync(events, "utf8")).toBe(before);
});

test("a session whose first event is not in its file yet is no damage, for its writer and for other processes", async () => {
  const root = temporaryFolder();
  const log = testLog(root, { limits: { idleMs: 60_000 } }); // nothing is flushed during this test
  const session = value(await log.create({ tier: "ho1" }));
  const paths = sessionPaths(root, "ho1", session.session_id);
  const seen = async () => {
    const results = [];
    for (const reader of [log, new JsonlReader({ root, rules: ledgerRules, clock: systemClock, pollMs: 10 })]) {
      for await (const info of reader.list()) results.push(info.ok ? info.value.events : info.error.code);
      for await (const event of reader.read(session.session_id))
        results.push(event.ok ? event.value.type : event.error.code);
    }
    return results;
  };
  value(await session.append(start));
  mkdirSync(paths.folder, { recursive: true });
  writeFileSync(paths.events, ""); // as its writer leaves it for a moment
  expect(await seen()).toEqual([1, "session.start", 1, "session.start"]);
});

test.each(["its writer", "others"])(
  "a list that is read slowly by %s takes no session for damaged that speaks, or begins, meanwhile",
  async (who) => {
    const root = temporaryFolder();
    const log = testLog(root, { limits: { idleMs: 60_000 } });
    const [first, silent] = [value(await log.create({ tier: "hot" })), value(await log.create({ tier: "ho1" }))];
    value(await first.append(start));
    value(await log.flush());
    const other = new JsonlReader({ root, rules: ledgerRules, clock: systemClock, pollMs: 10 });
    const list = (who === "others" ? other : log).list();
    const listed = [value(((await list.next()) as IteratorYieldResult<Result<SessionInfo>>).value).session_id];
    value(await silent.append(start));
    value(await log.flush());
    const younger = value(await log.create({ tier: "ho1" }));
    value(await younger.append(start));
    value(await log.flush());
    value(await younger.append(halted("being filed")));
    appendFileSync(sessionPaths(root, "ho1", younger.session_id).events, '{"actor":'); // as the flush thread leaves it for a moment
    for await (const info of list) listed.push(value(info).session_id);
    expect(listed.filter((id) => id !== silent.session_id)).toEqual([first.session_id, younger.session_id]);
  },
);

test("of two concurrent calls that create a session of the same name one is refused", async () => {
  const root = temporaryFolder();
  const log = testLog(root);
  const session_id = createIds(systemClock, systemRandom).sessionId();
  const made = await Promise.all([log.create({ tier: "ho1", session_id }), log.create({ tier: "ho1", session_id })]);
  expect(made.filter(({ ok }) => ok).length).toBe(1);
});

test("a shutdown ends for all callers at once, and a session that is being opened is refused", async () => {
  const log = testLog(temporaryFolder());
  const session = value(await log.create({ tier: "ho1" }));
  for (let line = 0; line < 100; line++) value(session.stage(halted(`${line}`)));
  const released = value(await log.create({ tier: "ho1" }));
  value(await released.append(start));
  value(await released.release());
  const opened = log.open(released.session_id);
  await setImmediate();
  let isOver = false;
  const first = log.shutdown().then((outcome) => {
    isOver = true;
    return outcome;
  });
  value(await log.shutdown());
  expect(isOver).toBe(true);
  value(await first);
  expect(await opened).toMatchObject({ ok: false, error: { code: "LEDGER_UNAVAILABLE" } });
});

test("a session copied without the folder of its ledgers, which were empty, can be written on", async () => {
  const root = temporaryFolder();
  const log = testLog(root);
  const session = value(await log.create({ tier: "ho1" }));
  value(await session.append(output("leaves nothing in the ledgers")));
  value(await session.release());
  rmSync(sessionPaths(root, "ho1", session.session_id).ledgerFolder, { recursive: true });
  value(await value(await log.open(session.session_id)).append(halted("leaves an entry")));
  value(await log.flush());
  expect(
    (
      await ledgerTexts(
        new JsonlReader({ root, rules: ledgerRules, clock: systemClock, pollMs: 10 }),
        session.session_id,
        "exec",
      )
    ).length,
  ).toBe(1);
});
