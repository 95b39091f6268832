import { temporaryFolder, testLog } from "../../../test/support/log.ts";
import { eventLogCases } from "../event-log.case.ts";

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
