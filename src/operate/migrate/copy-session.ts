import { createHash } from "node:crypto";
import { type Postgres, postgresFailure } from "#core/database";
import { domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import type { LogReader, SessionInfo } from "#log";

const headOf = {
  name: "",
  text: "SELECT head_seq, head_hash FROM log_session WHERE tenant_id = $1 AND session_id = $2",
};
const dropLines = { name: "", text: "DELETE FROM log_event WHERE tenant_id = $1 AND session_id = $2" };
const putLines = {
  name: "",
  text: "INSERT INTO log_event (tenant_id, session_id, seq, line) SELECT $1, $2, seq, line FROM unnest($3::bigint[], $4::text[]) AS moved (seq, line)",
};
const putSession = {
  name: "",
  text: "INSERT INTO log_session (tenant_id, session_id, tier, epoch, writer_id, head_seq, head_hash, closed) VALUES ($1, $2, $3, 1, NULL, $4, $5, $6)",
};

/**
 * Moves one session, all of it in one transaction, and compares what can be read afterwards on both sides, byte for byte. A
 * session that is there already is only compared.
 */
export async function copySession(
  info: SessionInfo,
  from: LogReader,
  to: { readonly postgres: Postgres; readonly reader: LogReader },
): Promise<Result<"moved" | "there">> {
  const { session_id, tier, events, head_hash, closed } = info;
  const { postgres, reader } = to;
  const { tenant } = postgres.address;
  try {
    const [known] = await postgres.retrying(() => postgres.rows(headOf, [tenant, session_id]));
    if (!known) {
      const copied = await postgres.transaction(async (transaction): Promise<Result<void>> => {
        transaction.send(dropLines, [tenant, session_id]);
        for await (const lines of from.readLines(session_id)) {
          if (!lines.ok) return lines;
          await transaction.write(putLines, [
            tenant,
            session_id,
            lines.value.map(({ number }) => number),
            lines.value.map(({ text }) => text),
          ]);
        }
        transaction.send(putSession, [tenant, session_id, tier, events, head_hash, closed]);
        return ok(undefined);
      });
      if (!copied.ok) return copied;
    }
    const [there, here] = [await textHash(from, session_id), await textHash(reader, session_id)];
    if (!there.ok) return there;
    if (!here.ok) return here;
    return there.value === here.value ? ok(known ? "there" : "moved") : err(differs(session_id));
  } catch (thrown) {
    return err(postgresFailure(thrown));
  }
}

async function textHash(reader: LogReader, session_id: SessionId): Promise<Result<string>> {
  const hash = createHash("sha256");
  for await (const lines of reader.readLines(session_id)) {
    if (!lines.ok) return lines;
    for (const { text } of lines.value) hash.update(`${text}\n`);
  }
  return ok(hash.digest("hex"));
}

function differs(session_id: SessionId) {
  return domainError(
    "LEDGER_CORRUPT",
    `${session_id} is in both places with different events: it was written to after it had been moved`,
    { details: { session_id } },
  );
}
