import { type Postgres, postgresFailure } from "#core/database";
import { err, ok } from "#core/values";
import type { KernelArchive } from "../port.ts";
import { sql } from "./sql.ts";

/** How many rows one statement deletes, so that vacuum and replicas keep up. */
const chunk = 5_000;

const mark = sql("mark-archived");
const finish = sql("finish-archive");
const drops = ["drop-events", "drop-dependencies", "drop-patches", "drop-revisions", "drop-work"].map(sql);

export function createArchive(postgres: Postgres, tenant: string): KernelArchive {
  return {
    mark: (runId, ref) => attempt(async () => (await postgres.rows(mark, [tenant, runId, ref])).length === 1),
    dropSome: (runId) =>
      attempt(async () => {
        for (const drop of drops) {
          const [row] = await postgres.rows(drop, [tenant, runId, chunk]);
          if ((row?.[0] as number) > 0) return false;
        }
        await postgres.rows(finish, [tenant, runId]);
        return true;
      }),
  };
}

async function attempt(change: () => Promise<boolean>): ReturnType<KernelArchive["mark"]> {
  try {
    return ok(await change());
  } catch (thrown) {
    return err(postgresFailure(thrown));
  }
}
