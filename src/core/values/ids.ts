import { type Clock, dayStamp } from "./clock.ts";
import type { Random } from "./random.ts";

declare const brand: unique symbol;
/** A string that only its own constructor returns; the compiler refuses a RunId where a WorkId is expected. */
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

/** Makes ids from a clock and random bytes: sortable by time, unguessable, repeatable from a seed. */
export interface IdSource {
  sessionId(): SessionId;
  /** At `now`, when the caller has already read the clock. */
  eventId(now?: number): EventId;
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
  const chance = supply(random);
  /**
   * Buffer of the id that is being made. Concatenated parts of text would be as many objects, and an event has few
   * others.
   */
  const stamped: number[] = Array.from({ length: 26 }, () => 0);

  /** 26 characters: 48 bits of time, 20 of a counter within the millisecond, 60 random. */
  const stamp = (now: number): string => {
    if (now > lastMs) {
      lastMs = now;
      counter = 0;
    } else {
      counter += 1; // the clock stood still or went back: the counter keeps the order
      if (counter >= 2 ** 20) {
        lastMs += 1;
        counter = 0;
      }
    }
    // At 150,000 ids a second hundreds of ids share their first twelve characters.
    if ((counter & 1023) === 0) {
      encode(lastMs, stamped, 0, 10);
      encode(counter >> 10, stamped, 10, 2);
    }
    stamped[12] = codes[(counter >> 5) & 31] as number;
    stamped[13] = codes[counter & 31] as number;
    chance(stamped, 14, 12);
    return String.fromCharCode(...stamped);
  };

  const day = () => dayStamp(clock.now());
  const sortable = (prefix: string) => `${prefix}-${stamp(clock.now())}`;
  return {
    sessionId: () => `SES-${day()}-${chanceText(chance, 20)}` as SessionId, // 100 random bits
    eventId: (now = clock.now()) => stamp(now) as EventId,
    agentId: (frameworkId, workOrderId) => `AGT-${frameworkId}-${workOrderId}-${stamp(clock.now())}` as AgentId,
    runId: () => sortable("RUN") as RunId,
    workId: () => sortable("WRK") as WorkId,
    patchId: () => sortable("PAT") as PatchId,
    revisionId: () => sortable("REV") as RevisionId,
    sortable,
  };
}

const codes = Array.from(alphabet, (character) => character.charCodeAt(0));

/** Writes a number in so many characters, most significant first. */
function encode(value: number, into: number[], start: number, length: number): void {
  let rest = value;
  for (let at = start + length - 1; at >= start; at--) {
    into[at] = codes[rest % 32] as number;
    rest = Math.floor(rest / 32);
  }
}

/** Writes so many characters of five random bits each. */
type Chance = (into: number[], start: number, length: number) => void;

/** Random bytes are fetched for many ids at once: each fetch allocates an object. */
function supply(random: Random): Chance {
  let bytes: Uint8Array = new Uint8Array(0);
  let used = 0;
  return (into, start, length) => {
    if (used + length > bytes.length) {
      bytes = random.bytes(supplyBytes);
      used = 0;
    }
    for (let index = 0; index < length; index++)
      into[start + index] = codes[(bytes[used + index] as number) & 31] as number;
    used += length;
  };
}

function chanceText(chance: Chance, length: number): string {
  const text: number[] = [];
  chance(text, 0, length);
  return String.fromCharCode(...text);
}

const supplyBytes = 240;

const sessionShape = /^SES-\d{8}-[0-9a-z]{16,40}$/;

/** An id becomes part of a path, so its shape is checked where it enters. */
export function isSessionId(text: string): text is SessionId {
  return sessionShape.test(text);
}

/** `WO-YYYYMMDD-NNN`; the number is allocated by the shared store. */
export function workOrderId(epochMs: number, number: number): WorkOrderId {
  return `WO-${dayStamp(epochMs)}-${String(number).padStart(3, "0")}` as WorkOrderId;
}
