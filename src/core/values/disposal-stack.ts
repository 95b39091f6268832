import { err, ok, type Result } from "./result.ts";

type Disposal = () => void | Result<void> | Promise<void | Result<void>>;

/**
 * What was opened, closed in reverse order: last opened, first closed. An opener registers its disposal in the line after it
 * acquires, so a later opener that fails leaves nothing behind. The global AsyncDisposableStack takes its place when the floor
 * reaches Node 24.
 */
export class DisposalStack {
  readonly #disposals: Disposal[] = [];

  defer(dispose: Disposal): void {
    this.#disposals.push(dispose);
  }

  /** Runs every disposal, also after one failed. The first failure is the answer; a thrown error is thrown at the end. */
  async disposeAsync(): Promise<Result<void>> {
    let outcome: Result<void> = ok(undefined);
    const thrown: unknown[] = [];
    for (let dispose = this.#disposals.pop(); dispose; dispose = this.#disposals.pop()) {
      try {
        const disposed = await dispose();
        if (disposed && !disposed.ok && outcome.ok) outcome = err(disposed.error);
      } catch (error) {
        thrown.push(error);
      }
    }
    if (thrown.length > 0)
      throw thrown.length === 1 ? thrown[0] : new AggregateError(thrown, "several disposals failed");
    return outcome;
  }
}
