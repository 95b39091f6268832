import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import type { SanitizeError } from "#core/routes";
import { frame, integer, json, plainGet, type Route } from "#core/routes";
import { err, ok, type SessionId } from "#core/values";
import { type LogReader, replay } from "#log";
import { proveSession } from "../anchors/proof.ts";
import { readAnchors } from "../anchors/read-anchors.ts";
import { loadVerifyingKey } from "../anchors/succession.ts";
import { sessionOf } from "./sessions.ts";

export interface SessionViewRouteParts {
  readonly log: LogReader;
  readonly schemas: SchemaRegistry;
  /** The workspace, absolute. */
  readonly root: string;
  /** The file of the workspace's public key. */
  readonly publicKeyFile: string;
  readonly sanitizeError: SanitizeError;
}

/** A session for a client that checks it without trusting the server: its bytes, its proof, its state after any event. */
export const sessionViewRoutes: readonly Route<SessionViewRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/sessions/:session_id/lines",
    tag: "sessions",
    summary: "The lines of the log, byte for byte, unproven: for a reader that proves them itself",
    right: "read",
    query: {},
    headers: {},
    answer: {
      status: 200,
      description: "Server-sent events `lines` with arrays of lines, then `end`.",
      mediaType: "text/event-stream",
    },
    otherAnswers: [],
    async handle({ log, sanitizeError }, { params }) {
      const id = sessionOf(params);
      if (!id.ok) return id;
      const there = await log.locate(id.value);
      return there.ok ? ok({ kind: "stream", frames: lines(log, id.value, sanitizeError) }) : there;
    },
  },
  {
    ...plainGet,
    path: "/api/v1/sessions/:session_id/snapshot",
    tag: "sessions",
    summary: "The session as it stood after one of its events; a fold over the record, nothing is called",
    right: "read",
    query: { at: { type: "integer", description: "The number of the event; the last by default.", minimum: 1 } },
    headers: {},
    answer: { status: 200, description: "The snapshot.", schema: "session_snapshot_v1" },
    otherAnswers: [],
    async handle({ log, schemas }, { params, query }) {
      const id = sessionOf(params);
      if (!id.ok) return id;
      const at = integer(query, "at", Number.MAX_SAFE_INTEGER);
      const snapshot = await replay(id.value, { reader: upTo(log, at), schemas, verify: false });
      return snapshot.ok ? ok(json(snapshot.value)) : snapshot;
    },
  },
  {
    ...plainGet,
    path: "/api/v1/sessions/:session_id/proof",
    tag: "sessions",
    summary: "That the session's head is under a signed root, to be checked without this server",
    right: "read",
    query: {},
    headers: {},
    answer: { status: 200, description: "The proof.", schema: "anchor_proof_v1" },
    otherAnswers: [],
    async handle({ log, root, publicKeyFile }, { params }) {
      const id = sessionOf(params);
      if (!id.ok) return id;
      const there = await log.locate(id.value);
      if (!there.ok) return there;
      const key = loadVerifyingKey(publicKeyFile);
      if (!key.ok) return key;
      const record = await readAnchors(root, key.value, log);
      const [fault] = record.faults;
      if (fault) return err(domainError("LEDGER_CORRUPT", `the anchor log was changed: ${fault.message}`));
      const proof = proveSession(id.value, record, key.value);
      return proof.ok ? ok(json(proof.value)) : proof;
    },
  },
];

async function* lines(log: LogReader, session_id: SessionId, sanitizeError: SanitizeError): AsyncGenerator<string> {
  for await (const portion of log.readLines(session_id)) {
    if (!portion.ok) {
      yield frame("end", { reason: sanitizeError(portion.error, `the lines of ${session_id}`).message });
      return;
    }
    yield frame(
      "lines",
      portion.value.map(({ text }) => text),
    );
  }
  yield frame("end", { reason: "complete" });
}

/** The same log, cut after that event. */
function upTo(log: LogReader, at: number): Pick<LogReader, "readBatches"> {
  return {
    async *readBatches(session_id, options) {
      for await (const batch of log.readBatches(session_id, options)) {
        if (!batch.ok) return yield batch;
        const wanted = batch.value.filter(({ seq }) => seq <= at);
        if (wanted.length > 0) yield ok(wanted);
        if (wanted.length < batch.value.length) return;
      }
    },
  };
}
