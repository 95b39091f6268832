import { migratePostgres, type Postgres, postgresFailure, refuseUnstorable } from "#core/database";
import { type Clock, err, type Failpoint, noFailpoints, ok, type Result } from "#core/values";
import { defaultLimits, type KernelLimits } from "../../limits.ts";
import { kernelRules, type Rules } from "../../rules/rules.ts";
import { commitStorable } from "../commit-storable.ts";
import type { KernelStore } from "../port.ts";
import { createArchive } from "./archive.ts";
import { kernelMigrations } from "./migrations.ts";
import { createReader } from "./read.ts";
import { createTransact } from "./transact.ts";

export interface PostgresKernelOptions {
  readonly clock: Clock;
  /** The tenant of the rows; by default that of the address. */
  readonly tenant?: string;
  readonly limits?: KernelLimits;
  readonly rules?: Rules;
  readonly failpoint?: Failpoint;
  /** Replaces the database's time for leases. Only for tests. */
  readonly testTime?: Clock;
}

/** The driver for several machines. The caller owns the connection and closes it. */
export async function openPostgresKernel(
  postgres: Postgres,
  options: PostgresKernelOptions,
): Promise<Result<KernelStore>> {
  const migrated = await migratePostgres(postgres, "kernel", kernelMigrations);
  if (!migrated.ok) return migrated;
  const tenant = options.tenant ?? postgres.address.tenant;
  const transact = createTransact({
    postgres,
    tenant,
    clock: options.clock,
    testTime: options.testTime,
    rules: options.rules ?? kernelRules,
    limits: options.limits ?? defaultLimits,
    failpoint: options.failpoint ?? noFailpoints,
  });
  return ok({
    // While the server writes one batch, the process decides the next. Two keep two processors busy; readers use the other connections.
    commitsAtOnce: postgres.address.poolSize > 2 ? 2 : 1,
    read: refuseUnstorable(createReader(postgres, tenant)),
    archive: refuseUnstorable(createArchive(postgres, tenant)),
    commit: commitStorable(async (commands) => {
      try {
        return ok(await transact(commands));
      } catch (thrown) {
        return err(postgresFailure(thrown));
      }
    }),
    close: () => Promise.resolve(),
  });
}
