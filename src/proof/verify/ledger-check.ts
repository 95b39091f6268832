import type { Result, SessionId } from "#core/values";
import type { LedgerName, LogReader, RawLine } from "#log";
import type { Violation } from "./violation.ts";

/** Holds a ledger against the lines that the events yield. */
export interface LedgerWalk {
  /** True when `compare` need not wait. */
  readonly isReady: boolean;
  refill(): Promise<void>;
  /** The next line of the ledger must be exactly this one. */
  compare(expected: string): void;
  /** Whatever is left over was not yielded by any event. */
  finish(): Promise<void>;
  /** Lets go of the file, however the walk ended. */
  stop(): Promise<void>;
  /** The first difference; later ones follow from it. */
  readonly violation: Violation | undefined;
}

/** Walks a ledger beside the events that yield it, line by line, without holding either. */
export class LedgerCheck implements LedgerWalk {
  readonly #name: LedgerName;
  readonly #lines: AsyncIterator<Result<readonly RawLine[]>>;
  #portion: readonly RawLine[] = [];
  #next = 0;
  #number = 0;
  #isOver = false;
  violation: Violation | undefined;

  constructor(reader: Pick<LogReader, "readLedger">, session_id: SessionId, name: LedgerName) {
    this.#name = name;
    this.#lines = reader.readLedger(session_id, name)[Symbol.asyncIterator]();
  }

  /** The next line is at hand. */
  get isReady(): boolean {
    return this.#next < this.#portion.length || this.#isOver;
  }

  async refill(): Promise<void> {
    while (!this.isReady) {
      const step = await this.#lines.next();
      if (step.done) this.#isOver = true;
      else if (!step.value.ok) {
        this.#isOver = true;
        this.violation ??= {
          kind: "unreadable",
          at: this.#number,
          where: this.#name,
          message: step.value.error.message,
        };
      } else {
        this.#portion = step.value.value;
        this.#next = 0;
      }
    }
  }

  compare(expected: string): void {
    if (this.violation) return;
    const line = this.#portion[this.#next];
    this.#number += 1;
    if (!line) this.violation = ledgerDifference("ledger_missing", this.#name, this.#number);
    else {
      this.#next += 1;
      if (line.fault || line.text !== expected)
        this.violation = ledgerDifference("ledger_differs", this.#name, this.#number);
    }
  }

  async finish(): Promise<void> {
    if (!this.violation) {
      await this.refill();
      const line = this.#portion[this.#next];
      if (line && !this.violation) {
        this.#number += 1;
        this.violation = ledgerDifference("ledger_extra", this.#name, this.#number);
      }
    }
  }

  async stop(): Promise<void> {
    await this.#lines.return?.();
  }
}

export function ledgerDifference(
  kind: "ledger_missing" | "ledger_differs" | "ledger_extra",
  name: LedgerName,
  at: number,
): Violation {
  return { kind, at, where: name, message: said[kind](name, at) };
}

const said = {
  ledger_missing: (name: LedgerName, at: number) =>
    `the ${name} ledger ends before its entry ${at}, which the events yield`,
  ledger_differs: (name: LedgerName, at: number) =>
    `entry ${at} of the ${name} ledger is not the one that the events yield`,
  ledger_extra: (name: LedgerName, at: number) => `the ${name} ledger has an entry ${at} that no event yields`,
};
