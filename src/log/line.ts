import { domainError } from "#core/errors";
import {
  canonicalJson,
  err,
  isJsonObject,
  type JsonObject,
  ok,
  type Result,
  type Sha256,
  sha256,
  zeroHash,
} from "#core/values";

/** The head of a chain: its number of entries and the hash of the last. */
export interface Head {
  readonly seq: number;
  readonly hash: Sha256;
}

/** A head together with the size of its chain, every line with its LF. */
export interface ChainMark extends Head {
  readonly bytes: number;
}

export const emptyMark: ChainMark = { seq: 0, hash: zeroHash, bytes: 0 };

export const emptyHead: Head = { seq: 0, hash: zeroHash };

/** One entry of any chain (a session's events, L-EXEC, L-EVIDENCE) in the shape of `event_v1`. */
export interface Envelope {
  readonly id: string;
  readonly seq: number;
  readonly session_id: string;
  readonly ts: string;
  readonly type: string;
  readonly actor: string;
  readonly payload: JsonObject;
  readonly schema_version: "v1";
  readonly parent_id: string | null;
  readonly prev_hash: Sha256;
  readonly hash: Sha256;
}

/** The content of a line, apart from its position in the chain. */
export interface NewLine extends Pick<Envelope, "id" | "ts" | "type" | "actor" | "parent_id"> {
  /** Canonical JSON of the payload. */
  readonly json: string;
}

/** The position of a line in its chain. */
export type LinePlace = Pick<Envelope, "session_id" | "seq" | "prev_hash">;

export interface SealedLine {
  /** The line as it is in the file, without its LF. */
  readonly text: string;
  readonly hash: Sha256;
}

/** The canonical line in two parts. The sorted keys put the hash between them; it is the hash of both parts joined. */
export interface UnsealedLine {
  readonly start: string;
  readonly rest: string;
}

export function unsealedLine(line: NewLine, place: LinePlace): UnsealedLine {
  return { start: lineStart(line), rest: `${beforePayload(line)}${line.json}${afterPayload(line, place)}` };
}

/** A line up to its hash. */
export function lineStart({ actor }: Pick<NewLine, "actor">): string {
  return `{"actor":${quoteName(actor)},`;
}

/** From there to its payload. */
export function beforePayload({ id, parent_id }: Pick<NewLine, "id" | "parent_id">): string {
  return `"id":${JSON.stringify(id)},"parent_id":${parent_id === null ? "null" : JSON.stringify(parent_id)},"payload":`;
}

/** After its payload. */
export function afterPayload(
  { ts, type }: Pick<NewLine, "ts" | "type">,
  { prev_hash, seq, session_id }: LinePlace,
): string {
  return `,"prev_hash":"${prev_hash}","schema_version":"v1","seq":${seq},"session_id":"${session_id}","ts":"${ts}","type":${quoteName(type)}}`;
}

/** The field between the parts; its length is constant. */
export function hashField(hash: Sha256): string {
  return `"hash":"${hash}",`;
}

export const hashFieldLength: number = hashField(zeroHash).length;

export function sealLine({ start, rest }: UnsealedLine): SealedLine {
  const hash = sha256(start + rest);
  return { text: start + hashField(hash) + rest, hash };
}

const quotedNames = new Map<string, string>();

/** Cached: actors and types are a few names that recur by the thousand. */
function quoteName(name: string): string {
  let quoted = quotedNames.get(name);
  if (quoted !== undefined) return quoted;
  quoted = JSON.stringify(name);
  if (quotedNames.size < 1_024) quotedNames.set(name, quoted);
  return quoted;
}

/** What is wrong with a line or its position in the chain; `verify` reports it under this name. */
export type LineFault = "not_json" | "shape" | "version" | "not_canonical" | "hash" | "seq" | "prev_hash" | "session";

/**
 * Parses one line (without LF) and verifies it: it must be byte for byte the canonical form of its content, and its
 * hash must be that of everything else in it. Callers decode with `isUtf8` checked, so that text and bytes are
 * equivalent.
 */
export function parseLine(text: string): Result<Envelope> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return corrupt("not_json", "the line is not JSON");
  }
  const shape = findShapeFault(value);
  if (shape) return shape;
  const entry = value as Envelope;
  const start = lineStart(entry);
  let rest: string;
  try {
    rest = beforePayload(entry) + canonicalJson(entry.payload) + afterPayload(entry, entry);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return corrupt("shape", "the payload nests too deep"); // Writ writes no such line
  }
  if (start + hashField(entry.hash) + rest !== text)
    return corrupt("not_canonical", "the line is not the canonical form of what it says");
  if (sha256(start + rest) !== entry.hash) return corrupt("hash", "the line does not have the hash that it names");
  return ok(entry);
}

const hashStart = ',"hash":"';

/**
 * The same for a line that a journal holds, at half the cost: it has the hash that its writer gave it, so it is what was
 * written. Whether that was the canonical form, `parseLine` says of the file that it goes to.
 */
export function parseWritten(text: string): Result<Envelope> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return corrupt("not_json", "the line is not JSON");
  }
  const shape = findShapeFault(value);
  if (shape) return shape;
  const entry = value as Envelope;
  const at = text.indexOf(hashStart) + 1;
  const end = at + hashFieldLength;
  if (text.slice(at, end) !== hashField(entry.hash))
    return corrupt("not_canonical", "its hash is not where it belongs");
  if (sha256(text.slice(0, at) + text.slice(end)) !== entry.hash)
    return corrupt("hash", "the line does not have the hash that it names");
  return ok(entry);
}

/** Whether the entry is the one that follows `head` in the chain of `session_id`. */
export function checkLink(entry: Envelope, head: Head, session_id: string): Result<Head> {
  if (entry.session_id !== session_id)
    return corrupt("session", `the line belongs to ${entry.session_id}, expected ${session_id}`);
  if (entry.seq !== head.seq + 1) return corrupt("seq", `the line has seq ${entry.seq}, expected ${head.seq + 1}`);
  if (entry.prev_hash !== head.hash)
    return corrupt("prev_hash", `the line follows ${short(entry.prev_hash)}, expected ${short(head.hash)}`);
  return ok(entry);
}

const hex64 = /^[0-9a-f]{64}$/;
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const sessionId = /^[A-Za-z0-9._-]{1,128}$/;

function findShapeFault(value: unknown): Result<never> | undefined {
  if (!isJsonObject(value)) return corrupt("shape", "the line is not an object");
  const { actor, hash, id, parent_id, payload, prev_hash, schema_version, seq, session_id, ts, type } = value;
  if (schema_version !== "v1")
    return corrupt("version", `the line has schema_version ${JSON.stringify(schema_version)}, this Writ reads "v1"`);
  if (
    typeof actor === "string" &&
    typeof hash === "string" &&
    typeof id === "string" &&
    (parent_id === null || typeof parent_id === "string") &&
    isJsonObject(payload) &&
    typeof prev_hash === "string" &&
    hex64.test(prev_hash) &&
    Number.isSafeInteger(seq) &&
    typeof session_id === "string" &&
    sessionId.test(session_id) &&
    typeof ts === "string" &&
    time.test(ts) &&
    typeof type === "string"
  )
    return undefined; // the comparison with the canonical form finds additional fields
  return corrupt("shape", "the line lacks the fields of an event, or has them with other types");
}

function corrupt(fault: LineFault, message: string): Result<never> {
  return err(domainError("LEDGER_CORRUPT", message, { details: { fault } }));
}

function short(hash: string): string {
  return `${hash.slice(0, 12)}…`;
}
