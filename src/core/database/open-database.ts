import { type Clock } from "../values/clock.ts";
import { type Random } from "../values/random.ts";
import { err, ok, type Result } from "../values/result.ts";
import { type PostgresAddress } from "./postgres/address.ts";
import { openPostgres, type Postgres } from "./postgres/connection.ts";
import { postgresFailure } from "./postgres/failure.ts";

const hello = { name: "store/hello", text: "SELECT 1" };

/** Connects now, so that an unreachable database is an error here and not in the middle of later work. */
export async function openDatabase(
  address: PostgresAddress,
  options: { readonly clock: Clock; readonly random: Random },
): Promise<Result<Postgres>> {
  const postgres = await openPostgres(address, options);
  try {
    await postgres.rows(hello);
    return ok(postgres);
  } catch (thrown) {
    await postgres.close();
    const failure = postgresFailure(thrown);
    return err({ ...failure, message: `${address.shown} cannot be reached: ${failure.message}` });
  }
}
