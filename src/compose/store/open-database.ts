import { type Clock, err, ok, type Random, type Result } from "#base";
import { openPostgres, type Postgres, type PostgresAddress, postgresFailure } from "#store";

const hello = { name: "store/hello", text: "SELECT 1" };

/** Connects, so that a database which is not there is missed now and not in the middle of something. */
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
