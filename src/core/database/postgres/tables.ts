import { type Clock } from "../../values/clock.ts";
import { err, ok, type Result } from "../../values/result.ts";
import type { Postgres, Transaction } from "./connection.ts";
import { postgresFailure } from "./failure.ts";

/** What each repository of the shared store works with. */
export interface Tables {
  readonly tenant: string;
  readonly clock: Clock;
  readonly postgres: Postgres;
  readonly testTime: Clock | undefined;
}

/** Runs a read, or a write that may be done twice; retried on conflicts and lost connections. */
export async function ask<T>({ postgres }: Pick<Tables, "postgres">, work: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await postgres.retrying(work));
  } catch (thrown) {
    return err(postgresFailure(thrown));
  }
}

/** Runs writes in one transaction; the outcome of a commit whose answer is lost is looked up, not guessed. */
export async function change<T>(
  { postgres }: Tables,
  work: (transaction: Transaction) => Promise<Result<T>>,
): Promise<Result<T>> {
  try {
    return await postgres.retrying(() => postgres.transaction(work));
  } catch (thrown) {
    return err(postgresFailure(thrown));
  }
}
