/** L4. The log: append, read, fold, verify; ledgers, anchors, checkpoints, redaction. Knows what happened, never what it means. */
export type { Event, EventInput, EventType } from "./event.ts";
export type { Recorder } from "./recorder.ts";
