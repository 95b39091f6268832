import { type Clock, dayStamp } from "./clock.ts";
import type { Random } from "./random.ts";

declare const brand: unique symbol;
/** A string that only its own maker hands out; the compiler keeps a RunId out of a WorkId's place. */
export type Id<Name extends string> = string & { readonly [brand]: Name };

export type SessionId = Id<"session">;
export type EventId = Id<"event">;
export type AgentId = Id<"agent">;
export type WorkOrderId = Id<"work order">;
export type RunId = Id<"run">;
export type WorkId = Id<"work item">;
export type PatchId = Id<"patch">;
export type RevisionId = Id<"revision">;

// Crockford's alphabet, lower case: no i, l, o, u, so an id survives being read aloud.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Makes ids from a clock and chance: sortable by time, unguessable, the same again from the same seed. */
export interface IdSource {
  sessionId(): SessionId;
  eventId(): EventId;
  agentId(frameworkId: string, workOrderId: string): AgentId;
  runId(): RunId;
  workId(): WorkId;
  patchId(): PatchId;
  revisionId(): RevisionId;
  /** A sortable id with a prefix of the caller's, for things that have no branded id. */
  sortable(prefix: string): string;
}

export function createIds(clock: Clock, random: Random): IdSource {
  let lastMs = 0;
  let counter = 0;
  let prefix = ""; // of `lastMs`, and of the counter's upper half: at 150,000 ids a second they are the same for hundreds

  /** 26 characters: 48 bits of time, 20 of a counter within the millisecond, 60 of chance. */
  const stamp = (): string => {
    const now = clock.now();
    if (now > lastMs) {
      lastMs = now;
      counter = 0;
    } else {
      counter += 1; // the clock stood still or went back: order is kept all the same
      if (counter >= 2 ** 20) {
        lastMs += 1;
        counter = 0;
      }
    }
    if ((counter & 1023) === 0) prefix = encode(lastMs, 10) + encode(counter >> 10, 2);
    return prefix + pairs[counter & 1023] + chance(random, 12);
  };

  const day = () => dayStamp(clock.now());
  const sortable = (prefix: string) => `${prefix}-${stamp()}`;
  return {
    sessionId: () => `SES-${day()}-${chance(random, 20)}` as SessionId, // 100 random bits
    eventId: () => stamp() as EventId,
    agentId: (frameworkId, workOrderId) => `AGT-${frameworkId}-${workOrderId}-${stamp()}` as AgentId,
    runId: () => sortable("RUN") as RunId,
    workId: () => sortable("WRK") as WorkId,
    patchId: () => sortable("PAT") as PatchId,
    revisionId: () => sortable("REV") as RevisionId,
    sortable,
  };
}

function encode(value: number, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) text = alphabet[rest % 32] + text;
  return text;
}

/** Every two characters, by ten bits. */
const pairs = Array.from({ length: 1024 }, (_, bits) => encode(bits, 2));

/** An even number of characters, five random bits each. */
function chance(random: Random, length: number): string {
  const bytes = random.bytes(length);
  let text = "";
  for (let at = 0; at < length; at += 2)
    text += pairs[((bytes[at] as number) & 31) * 32 + ((bytes[at + 1] as number) & 31)];
  return text;
}

const sessionShape = /^SES-\d{8}-[0-9a-z]{16,40}$/;

/** An id becomes part of a path, so its shape is checked where it enters. */
export function isSessionId(text: string): text is SessionId {
  return sessionShape.test(text);
}

/** `WO-YYYYMMDD-NNN`; the number is allocated by the shared store. */
export function workOrderId(epochMs: number, number: number): WorkOrderId {
  return `WO-${dayStamp(epochMs)}-${String(number).padStart(3, "0")}` as WorkOrderId;
}
