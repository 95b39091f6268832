import pg from "pg";
import type { RunId } from "#core/values";
import { verifyRun } from "../../src/runs/kernel/verify-run.ts";
import { must, type WritQueue } from "./writ-queue.ts";

/** Items of the run that is copied. */
const copied = 1_000;
/** Runs that one statement makes. */
const atOnce = 200;

const runColumns =
  "tenant_id, app_id, objective, status, close_reason, close_message, head_revision_id, created_at, updated_at, paused, last_seq, open_work, fact_seq, seen_seq, turn_owner, turn_epoch, turn_expires_at, turn_applied_epoch, turn_failures, turn_not_before, turn_due_at";
const workColumns =
  "tenant_id, work_id, capability, objective, input, depends_on, status, lease_owner, lease_expires_at, lease_epoch, retry_count, max_retries, rank, not_before, idempotency_key, waiting_on, dependents, ready, ended_by, created_at, updated_at";
const eventColumns = "tenant_id, seq, lines, event_type, payload, actor_id, created_at";

/**
 * Leaves so many finished items behind as if they had been worked on: one run is, by the kernel and the real worker, and its
 * rows are copied under other names. So they have the shape that the kernel writes; a copy is read back and verified by it.
 */
export async function seedFinished(url: string, queue: WritQueue, count: number): Promise<void> {
  await queue.enqueue(copied, copied);
  await queue.drain(copied, 500);
  const [template] = queue.runs as readonly [RunId];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const copy = (table: string, columns: string, from: number, to: number): Promise<unknown> =>
      client.query(
        `INSERT INTO ${table} (run_id, ${columns}) SELECT $1 || '-' || lpad(n::text, 6, '0'), ${columns}
         FROM generate_series($2::int, $3::int) AS n CROSS JOIN (SELECT * FROM ${table} WHERE run_id = $1 ORDER BY ${table === "work_item" ? "number" : "run_id"}) AS template`,
        [template, from, to],
      );
    const runs = Math.ceil(count / copied) - 1;
    for (let from = 1; from <= runs; from += atOnce) {
      const to = Math.min(runs, from + atOnce - 1);
      await copy("run", runColumns, from, to);
      await copy("work_item", workColumns, from, to);
      await copy("event_log", eventColumns, from, to);
    }
    if (runs > 0) {
      const verdict = must(await verifyRun(queue.kernel.read, `${template}-000001` as RunId));
      const events = 1 + 3 * copied;
      if (!verdict.ok || verdict.events !== events)
        throw new Error(`a copied run is not as the kernel writes it: ${verdict.violations[0] ?? verdict.events}`);
    }
    // As the database itself does, some time after rows were written.
    await client.query("VACUUM (ANALYZE) run, work_item, event_log");
  } finally {
    await client.end();
  }
}
