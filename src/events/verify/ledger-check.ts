import type { Result, SessionId } from "#base";
import type { LedgerName, LogReader, RawLine } from "../event-log.ts";
import type { Violation } from "./violation.ts";

/** Walks a ledger beside the events that yield it, line by line, without holding either. */
export class LedgerCheck {
  readonly #name: LedgerName;
  readonly #lines: AsyncIterator<Result<readonly RawLine[]>>;
  #portion: readonly RawLine[] = [];
  #next = 0;
  #number = 0;
  #isOver = false;
  /** The first difference; later ones follow from it. */
  violation: Violation | undefined;

  constructor(reader: Pick<LogReader, "readLedger">, session_id: SessionId, name: LedgerName) {
    this.#name = name;
    this.#lines = reader.readLedger(session_id, name)[Symbol.asyncIterator]();
  }

  /** True when the next line is at hand: then `compare` need not wait. */
  get isReady(): boolean {
    return this.#next < this.#portion.length || this.#isOver;
  }

  async refill(): Promise<void> {
    while (!this.isReady) {
      const step = await this.#lines.next();
      if (step.done) this.#isOver = true;
      else if (!step.value.ok) {
        this.#isOver = true;
        this.#blame("unreadable", step.value.error.message);
      } else {
        this.#portion = step.value.value;
        this.#next = 0;
      }
    }
  }

  /** The next line of the file must be exactly this one. */
  compare(expected: string): void {
    if (this.violation) return;
    const line = this.#portion[this.#next];
    this.#number += 1;
    if (!line)
      this.#blame(
        "ledger_missing",
        `the ${this.#name} ledger ends before its entry ${this.#number}, which the events yield`,
      );
    else {
      this.#next += 1;
      if (line.fault || line.text !== expected)
        this.#blame(
          "ledger_differs",
          `entry ${this.#number} of the ${this.#name} ledger is not the one that the events yield`,
        );
    }
  }

  /** Whatever is left over was not yielded by any event. */
  async finish(): Promise<void> {
    if (!this.violation) {
      await this.refill();
      const line = this.#portion[this.#next];
      if (line && !this.violation) {
        this.#number += 1;
        this.#blame("ledger_extra", `the ${this.#name} ledger has an entry ${this.#number} that no event yields`);
      }
    }
  }

  /** Lets go of the file, however the walk ended. */
  async stop(): Promise<void> {
    await this.#lines.return?.();
  }

  #blame(kind: Violation["kind"], message: string): void {
    this.violation ??= { kind, at: this.#number, where: this.#name, message };
  }
}
