import type { PostgresAddress } from "#core/database";
import type { Observation } from "#core/shapes";
import { isoTime } from "#core/values";

/** What a database says of itself and of us. */
export interface DatabaseAnswer {
  readonly version: string;
  readonly versionNumber: number;
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly isReplica: boolean;
  readonly isReadOnly: boolean;
  /** Where tables are made and looked for; null where the search path names no schema that there is. */
  readonly schema: string | null;
  readonly mayCreate: boolean;
  readonly hasTables: boolean;
  /** Whether the tables that are there may be read and written. */
  readonly mayWrite: boolean;
  /** The tenant that the role is bound to, where it is. */
  readonly boundTo: string | null;
  readonly now: number;
  readonly isEncrypted: boolean;
  /** As many as server, database and role allow. */
  readonly connections: number;
}

/** The oldest that is tried. */
const oldest = { number: 140_000, name: "14" };
const mostSkewMs = 5_000;
export const stopsAll = "no command that records or shares anything runs in this workspace";

/** Whether work can be recorded there, and what may go wrong later, each with its remedy; what stops everything comes first. */
export function judgeDatabase(
  answer: DatabaseAnswer,
  { address, tookMs, now }: { readonly address: PostgresAddress; readonly tookMs: number; readonly now: number },
): Observation<string> {
  const through = address.throughPooler ? ", through a pooler" : "";
  const found = `${address.shown}: PostgreSQL ${answer.version}, ${tookMs.toFixed(1)} ms away, ${answer.isEncrypted ? "encrypted" : "not encrypted"}, tenant ${address.tenant}${answer.boundTo === address.tenant ? ", which is all that the role may see" : ""}, ${address.poolSize} of ${answer.connections} connections${through}`;
  const broken = (what: string, mend: string): Observation<string> => ({
    health: "broken",
    found: `${found}; ${what}`,
    why: stopsAll,
    cause: mend,
  });
  const limited = (what: string, why: string, mend: string): Observation<string> => ({
    health: "limited",
    found: `${found}; ${what}`,
    why,
    cause: mend,
  });
  const skew = Math.abs(now - answer.now);
  const schema = answer.schema ?? "public";

  if (answer.isReplica) return broken("it is a replica", "name the primary in `store`");
  if (answer.isReadOnly)
    return broken(
      "it takes no writes from this role",
      "set default_transaction_read_only = off for the role and the database, or name the primary in `store`",
    );
  if (answer.schema === null)
    return broken(
      "the role's search_path names no schema that there is",
      "CREATE SCHEMA …, or ALTER ROLE … SET search_path to one",
    );
  if (!answer.hasTables && !answer.mayCreate)
    return broken(
      "there are no tables yet, and this role may make none",
      `GRANT CREATE ON SCHEMA ${schema} TO the role, or let the owner of the database run \`writ doctor\` and a first request`,
    );
  if (answer.hasTables && !answer.mayWrite)
    return broken(
      "this role may not read and write the tables",
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO the role`,
    );
  if (answer.boundTo !== null && answer.boundTo !== address.tenant)
    return broken(
      `the role is bound to the tenant ${answer.boundTo}`,
      `say tenant=${encodeURIComponent(answer.boundTo)} in \`store\`, or come as the role of ${address.tenant}`,
    );
  if (answer.fsync === "off" || answer.synchronousCommit === "off")
    return limited(
      `fsync ${answer.fsync}, synchronous_commit ${answer.synchronousCommit}`,
      "what was acknowledged may be lost in a power cut",
      "set fsync = on and synchronous_commit = on in postgresql.conf",
    );
  if (answer.versionNumber < oldest.number)
    return limited(`it is older than ${oldest.name}`, "nobody tries Writ on it", "bring the server up to date");
  if (answer.connections < address.poolSize)
    return limited(
      `a process may open ${address.poolSize} connections, and it gives out ${answer.connections}`,
      "whoever comes late waits, and gives up in the end",
      "say a smaller pool_size in `store`, or raise the limit of the server, the database or the role",
    );
  if (!answer.mayCreate)
    return limited(
      "this role makes no tables",
      "a newer Writ cannot bring the tables up to date",
      `let their owner run the newer one first, or GRANT CREATE ON SCHEMA ${schema} TO the role`,
    );
  if (skew > mostSkewMs)
    return limited(
      `its clock says ${isoTime(answer.now)}, ${Math.round(skew / 1000)} s from ours`,
      "leases go by its clock and stay right, but times in the records differ",
      "let both machines keep time by NTP",
    );
  return { health: "works", found };
}
