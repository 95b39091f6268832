/** L4. The log: append, read, fold, verify; ledgers, anchors, checkpoints, redaction. Knows what happened, never what it means. */
export type { Event, EventInput, EventType } from "./event.ts";
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
export { JsonlLog } from "./jsonl/jsonl-log.ts";
export { JsonlReader, type ReaderOptions } from "./jsonl/jsonl-reader.ts";
export type { JsonlLimits, JsonlLogOptions } from "./jsonl/options.ts";
export type { RecoveredSession } from "./jsonl/recover.ts";
export type { Recorder } from "./recorder.ts";
export { createRedactor, type Redactor } from "./redaction/index.ts";
export type { PayloadRedactor } from "./redactor.ts";
export { isTier, type Tier, tiers } from "./tier.ts";
