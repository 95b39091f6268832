import type { SchemaTypes } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, type Result } from "#core/values";

export type Tasks = SchemaTypes["delegate.args_v1"]["tasks"];
export type Answers = SchemaTypes["delegate.result_v1"];
export type HandDown = (tasks: Tasks, signal: AbortSignal) => Promise<Result<Answers>>;

/** The flows of this process that can hand orders down, by session id, which is all that the tool `delegate` knows. */
export class HandDowns {
  readonly #flows = new Map<string, HandDown>();

  handDown(session_id: string, tasks: Tasks, signal: AbortSignal): Promise<Result<Answers>> {
    const flow = this.#flows.get(session_id);
    return flow ? flow(tasks, signal) : Promise.resolve(err(noFlow()));
  }

  /** Registers a flow; the returned function removes it. */
  open(session_id: string, handDown: HandDown): () => void {
    this.#flows.set(session_id, handDown);
    return () => this.#flows.delete(session_id);
  }
}

function noFlow() {
  return domainError(
    "TOOL_ERROR",
    "orders are handed down within an order that is being carried out, and there is none",
  );
}
