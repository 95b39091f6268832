import { change, statementsBeside, type Tables } from "#core/database";
import { ok } from "#core/values";
import { decideSlice, fullBuckets } from "./rate-bucket.ts";
import type { RateStore } from "./rate-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const doNotSync = { name: "shared/do-not-sync", text: "SET LOCAL synchronous_commit = off" };
const lockBucket = sql("lock-rate-bucket");
const keepBucket = sql("keep-rate-bucket");

/**
 * The pace of a minute need not survive a power cut, so its commits wait for no disk. Its time is the database's: machines
 * whose clocks differ keep one pace.
 */
export function postgresRates(tables: Tables): RateStore {
  const { tenant, testTime } = tables;
  return {
    takeRate: (bucket_id, limits, ask) =>
      change(tables, async (transaction) => {
        transaction.send(doNotSync);
        const full = fullBuckets(limits, 0);
        const given = testTime?.now() ?? null;
        const locking = transaction.write(lockBucket, [tenant, bucket_id, full.requests, full.tokens, given]);
        const [row] = (await locking) as readonly (readonly [number, number, number, number, number])[];
        const [requests, tokens, at_ms, paused_until_ms, now] = row ?? [full.requests, full.tokens, 0, 0, 0];
        const { after, slice } = decideSlice({ requests, tokens, at_ms, paused_until_ms }, limits, ask, now);
        transaction.send(keepBucket, [
          tenant,
          bucket_id,
          after.requests,
          after.tokens,
          after.at_ms,
          after.paused_until_ms,
        ]);
        return ok(slice);
      }),
  };
}
