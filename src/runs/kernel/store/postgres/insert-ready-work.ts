import { type Postgres, postgresFailure } from "#core/database";
import { err, ok, type Result, type RunId } from "#core/values";
import { sql } from "./sql.ts";

const insert = sql("insert-ready-work");

/** Makes open items claimable that were copied from another store. Idempotent. */
export async function insertReadyWork(postgres: Postgres, runs: readonly RunId[]): Promise<Result<void>> {
  try {
    for (const run of runs) await postgres.retrying(() => postgres.rows(insert, [postgres.address.tenant, run]));
    return ok(undefined);
  } catch (thrown) {
    return err(postgresFailure(thrown));
  }
}
