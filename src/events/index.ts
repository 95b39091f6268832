/** L4. The log: append, read, fold, verify; ledgers, anchors, checkpoints, redaction. Knows what happened, never what it means. */
export type { Anchors } from "./anchors/anchor-leaf.ts";
export { AnchorLog, type AnchorLogOptions } from "./anchors/anchor-log.ts";
export { type Checkpoint, checkpointFile, parseCheckpoint } from "./anchors/checkpoint.ts";
export { checkProof, type Proof, proveSession, proveSince } from "./anchors/proof.ts";
export { type AnchorRecord, readAnchors } from "./anchors/read-anchors.ts";
export {
  loadSigningKey,
  parseSigningKey,
  parseVerifyingKey,
  type SigningKey,
  type VerifyingKey,
} from "./anchors/signing-key.ts";
export { loadVerifyingKey, type Succession, successionFile } from "./anchors/succession.ts";
export { askedIn, askedOf, opening } from "./asked-in.ts";
export type { ProofBundle } from "./bundle/bundle.ts";
export { writeBundle } from "./bundle/write-bundle.ts";
export { type AlignedStep, diffSessions, type SessionDiff } from "./diff/align-steps.ts";
export { type SessionStep, sessionSteps } from "./diff/session-steps.ts";
export type { Event, EventInput, EventType } from "./event.ts";
export type { EntrySign, EventKinds, GateMark, Pen, Story, TimelineEntry, Told } from "./event-kind.ts";
export type {
  CloseInput,
  EventLog,
  FollowOptions,
  LedgerName,
  LogReader,
  RawLine,
  ReadOptions,
  SessionInfo,
  SessionLog,
  SessionPlace,
} from "./event-log.ts";
export { type ExportedFile, exportSession } from "./export/export-session.ts";
export { type ProofSources, sessionProof } from "./export/session-proof.ts";
export { type ExportedVerification, verifyExported } from "./exported/verify-exported.ts";
export type { Snapshot } from "./fold/draft.ts";
export { Fold } from "./fold/fold.ts";
export { replay, snapshotText } from "./fold/replay.ts";
export { JsonlLog } from "./jsonl/jsonl-log.ts";
export { JsonlReader, type ReaderOptions } from "./jsonl/jsonl-reader.ts";
export type { JsonlLimits, JsonlLogOptions } from "./jsonl/options.ts";
export type { RecoveredSession } from "./jsonl/recover.ts";
export { kindOf } from "./kind-of.ts";
export { eventKinds } from "./kinds/event-kinds.ts";
export { type ChainMark, checkLink, type Envelope, emptyHead, type Head, parseLine } from "./line.ts";
export { firstLink } from "./links.ts";
export { eventsOf, firstOf, isEvent, isRecordOf, recordedAs, startOf } from "./narrow-event.ts";
export { anchorLinesIn } from "./postgres/anchor-lines-in.ts";
export { copyAnchors } from "./postgres/copy-anchors.ts";
export { PostgresAnchors } from "./postgres/postgres-anchors.ts";
export { PostgresLog } from "./postgres/postgres-log.ts";
export { PostgresReader } from "./postgres/postgres-reader.ts";
export type { RecordedCall, RecordedPast, RecordedRequest } from "./recorded-past.ts";
export type { Recorder } from "./recorder.ts";
export { createRedactor, type Redactor } from "./redaction/index.ts";
export type { PayloadRedactor } from "./redactor.ts";
export { SealingLog, type SealingOptions } from "./seal/sealing-log.ts";
export { sessionIds } from "./session-ids.ts";
export { isTier, type Tier, tiers } from "./tier.ts";
export { type Verification, verifySession } from "./verify/verify-session.ts";
export {
  type Progress,
  type ProvenSessions,
  verifyAll,
  verifyOne,
  type WorkspaceVerification,
} from "./verify/verify-workspace.ts";
export { explanations, type Note, type Violation } from "./verify/violation.ts";
