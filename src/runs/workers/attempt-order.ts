import type { FlowResult, UnnumberedOrder } from "#work";
import type { Lease } from "../kernel/records.ts";
import type { WorkerPorts } from "./ports.ts";

export interface Attempted {
  readonly result: FlowResult;
  /** Which attempt of the item it was, from 1. */
  readonly attempt: number;
}

/**
 * Runs the order of an item. Its key is made of the work id and the number of the attempt, not of the lease's epoch: the
 * next holder of an interrupted item finds the same order and goes on with it, and an item that was done is not done again.
 * Only an attempt that failed makes room for the next one, and there are never more than the item was given.
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
    // Another process has the order, or it could not be looked at: this attempt is not over, so there is no next one.
    const isOpen = result.session_id === null || result.error_code === "LEASE_LOST";
    if (isOver || isOpen || signal.aborted) return { result, attempt };
  }
}
