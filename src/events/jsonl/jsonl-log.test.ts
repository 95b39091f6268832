import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { systemClock } from "#base";
import { ledgerRules } from "#schemas";
import { start, temporaryFolder, testLog, value } from "../../../test/support/log.ts";
import { eventLogCases } from "../event-log.case.ts";
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

test("a session whose first event is not in its file yet is no damage, for its writer and for others", async () => {
  const root = temporaryFolder();
  const log = testLog(root, { limits: { idleMs: 60_000 } }); // nothing is filed while this looks
  const session = value(await log.create({ tier: "ho1" }));
  const paths = sessionPaths(root, "ho1", session.session_id);
  const seen = async () => {
    const told = [];
    for (const reader of [log, new JsonlReader({ root, rules: ledgerRules, clock: systemClock, pollMs: 10 })]) {
      for await (const info of reader.list()) told.push(info.ok ? info.value.events : info.error.code);
      for await (const event of reader.read(session.session_id))
        told.push(event.ok ? event.value.type : event.error.code);
    }
    return told;
  };
  value(await session.append(start));
  mkdirSync(paths.folder, { recursive: true });
  writeFileSync(paths.events, ""); // as its writer leaves it for a moment
  expect(await seen()).toEqual([1, "session.start", 1, "session.start"]);
});
