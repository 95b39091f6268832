import { join } from "node:path";
import { domainError, err, ok, type SessionId } from "#base";
import { type LogReader, loadVerifyingKey, proveSession, readAnchors, replay } from "#events";
import { integer } from "../read-query.ts";
import { json, type Route } from "../route.ts";
import type { SanitizeError } from "../sanitize-error.ts";
import type { Services } from "../services.ts";
import { frame } from "../stream/frames.ts";
import { sessionOf } from "./sessions.ts";

/** A session as somebody looks at it who does not take the server's word: its bytes, its proof, any moment of it. */
export function sessionViewRoutes({ runtime, sanitizeError }: Services): readonly Route[] {
  const { log, schemas, root, config } = runtime;
  return [
    {
      method: "GET",
      path: "/api/v1/sessions/:session_id/lines",
      tag: "sessions",
      summary: "The lines of the log, byte for byte, unproven: for whoever proves them himself",
      right: "read",
      answer: {
        status: 200,
        description: "Server-sent events `lines` with arrays of lines, then `end`.",
        mediaType: "text/event-stream",
      },
      async handle({ params }) {
        const id = sessionOf(params);
        if (!id.ok) return id;
        const there = await log.locate(id.value);
        return there.ok ? ok({ kind: "stream", frames: lines(log, id.value, sanitizeError) }) : there;
      },
    },
    {
      method: "GET",
      path: "/api/v1/sessions/:session_id/snapshot",
      tag: "sessions",
      summary: "The session as it stood after one of its events; a fold over the record, nothing is called",
      right: "read",
      query: { at: { type: "integer", description: "The number of the event; the last unless told.", minimum: 1 } },
      answer: { status: 200, description: "The snapshot.", schema: "session_snapshot_v1" },
      async handle({ params, query }) {
        const id = sessionOf(params);
        if (!id.ok) return id;
        const at = integer(query, "at", Number.MAX_SAFE_INTEGER);
        const snapshot = await replay(id.value, { reader: upTo(log, at), schemas, verify: false });
        return snapshot.ok ? ok(json(snapshot.value)) : snapshot;
      },
    },
    {
      method: "GET",
      path: "/api/v1/sessions/:session_id/proof",
      tag: "sessions",
      summary: "That the session's head is under a signed root, to be checked without this server",
      right: "read",
      answer: { status: 200, description: "The proof.", schema: "anchor_proof_v1" },
      async handle({ params }) {
        const id = sessionOf(params);
        if (!id.ok) return id;
        const there = await log.locate(id.value);
        if (!there.ok) return there;
        const key = loadVerifyingKey(join(root, config.signing.public_key));
        if (!key.ok) return key;
        const record = await readAnchors(root, key.value, log);
        const [fault] = record.faults;
        if (fault) return err(domainError("LEDGER_CORRUPT", `the anchor log was changed: ${fault.message}`));
        const proof = proveSession(id.value, record, key.value);
        return proof.ok ? ok(json(proof.value)) : proof;
      },
    },
  ];
}

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

/** The same log, as if it ended there. */
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
