/** Sessions as append-only, hash-chained events: append, read, follow, fold, redact. Decides nothing about what may happen. */

export { callText, resultText } from "./call-words.ts";
export type { Event, EventInput, EventType } from "./event.ts";
export type { EntrySign, EventKinds, GateMark, Pen, Story, TimelineEntry, TypedPayload } from "./event-kind.ts";
export type {
  AnchorLines,
  CloseInput,
  EventLog,
  FollowOptions,
  LedgerName,
  LogReader,
  RawLine,
  ReadOptions,
  SessionInfo,
  SessionLog,
} from "./event-log.ts";
export type { Snapshot } from "./fold/draft.ts";
export { type Amendments, Fold } from "./fold/fold.ts";
export { replay, snapshotText } from "./fold/replay.ts";
export { forgetfulRecorder } from "./forgetful-recorder.ts";
export { conditionOf } from "./http/event-condition.ts";
export { EventPages } from "./http/event-pages.ts";
export { SessionCards } from "./http/session-cards.ts";
export { SessionFeeds } from "./http/session-feed.ts";
export { type BudgetPoint, type Fragment, type Idle, SessionIndexes } from "./http/session-index.ts";
export { type ListedSessions, SessionList } from "./http/session-list.ts";
export { type SessionReaders, sessionReaders } from "./http/session-readers.ts";
export { TextFeeds } from "./http/text-feed.ts";
export { type Disk, realDisk, writeAll } from "./jsonl/disk.ts";
export { fileLines, type Portion, split } from "./jsonl/file-lines.ts";
export { JsonlLog } from "./jsonl/jsonl-log.ts";
export { JsonlReader } from "./jsonl/jsonl-reader.ts";
export { anchorFile } from "./jsonl/paths.ts";
export type { RecoveredSession } from "./jsonl/recover.ts";
export { planesOnDisk } from "./jsonl/session-paths.ts";
export { kindOf } from "./kind-of.ts";
export { deriveLedgers, emptyLedgers, type LedgerHeads, type LedgerRules } from "./ledger.ts";
export { type ChainMark, checkLink, type Envelope, emptyHead, type Head, parseLine } from "./line.ts";
export { firstLink, linkAmongRecords, linkRefused } from "./links.ts";
export { eventsOf, isEvent, isRecordOf, startOf } from "./narrow-event.ts";
export type { PayloadRedactor } from "./payload-redactor.ts";
export { PostgresLog } from "./postgres/postgres-log.ts";
export { PostgresReader } from "./postgres/postgres-reader.ts";
export { logMigrations, sql } from "./postgres/sql.ts";
export { rawLines } from "./raw-lines.ts";
export { readSnapshot } from "./read-snapshot.ts";
export { type Act, recordAct } from "./record-act.ts";
export type { RecordedCall, RecordedHistory, RecordedRequest } from "./recorded-history.ts";
export { recordedPrompt } from "./recorded-prompt.ts";
export { inOrder, isFlow, type RecordedSession } from "./recorded-session.ts";
export type { Recorder } from "./recorder.ts";
export { type GrowingRedactor, growingRedactor } from "./redaction/growing-redactor.ts";
export type { Redactor } from "./redaction/redactor.ts";
export { resolveSession, type SessionPlace, shortId } from "./resolve-session.ts";
export { namedSession, type SelectedSession, sessionOrLast } from "./session-argument.ts";
export { sessionIds } from "./session-ids.ts";
export { isTier, type Tier, tiers } from "./tier.ts";
