import type { FlowResult, UnnumberedOrder } from "#work";
import type { Lease } from "../kernel/records.ts";
import type { WorkerPorts } from "./ports.ts";

export interface Attempted {
  readonly result: FlowResult;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

/**
 * Runs the work order of an item. Its key consists of the work id and the number of the attempt, not of the lease's epoch: the
 * next worker of an interrupted item resumes the same order, and finished work is not repeated. Only a failed attempt is
 * followed by the next one, up to the item's retry budget.
 */
export async function attemptOrder(
  ports: Pick<WorkerPorts, "runOrder">,
  lease: Lease,
  order: UnnumberedOrder,
  signal: AbortSignal,
): Promise<Attempted> {
  for (let attempt = 1; ; attempt++) {
    const idempotency_key = `${lease.run_id}/${lease.work_id}/${attempt}`;
    const result = await ports.runOrder({ ...order, idempotency_key }, { signal });
    const isOver = result.status === "success" || result.status === "waiting" || attempt > lease.retry_count;
    // Another process runs the order, or the order could not be read: this attempt is not over, so there is no next one.
    const isOpen = result.session_id === null || result.error_code === "LEASE_LOST";
    if (isOver || isOpen || signal.aborted) return { result, attempt };
  }
}
