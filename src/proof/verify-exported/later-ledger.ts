import { type Result, type Sha256, sha256 } from "#core/values";
import type { LedgerName, RawLine } from "#log";
import { HashList } from "../verify/hash-list.ts";
import { type LedgerWalk, ledgerDifference } from "../verify/ledger-check.ts";
import type { Violation } from "../verify/violation.ts";

/** A ledger that comes behind the events that yield it: of each expected line its hash is kept until then. */
export class LaterLedger implements LedgerWalk {
  readonly isReady = true;
  readonly #name: LedgerName;
  /** Undefined where something before it was not read to its end: then there is nothing to compare. */
  readonly #lines: () => AsyncIterable<Result<readonly RawLine[]>> | undefined;
  readonly #expected = new HashList();
  violation: Violation | undefined;

  constructor(name: LedgerName, lines: () => AsyncIterable<Result<readonly RawLine[]>> | undefined) {
    this.#name = name;
    this.#lines = lines;
  }

  refill(): Promise<void> {
    return Promise.resolve();
  }

  compare(expected: string): void {
    this.#expected.push(sha256(expected));
  }

  async finish(): Promise<void> {
    const lines = this.#lines();
    if (!lines) return;
    let number = 0;
    for await (const portion of lines) {
      if (!portion.ok) {
        this.violation = { kind: "unreadable", at: number, where: this.#name, message: portion.error.message };
        return;
      }
      for (const line of portion.value) {
        number += 1;
        this.violation = this.#differs(number, sha256(line.text));
        if (this.violation) return;
      }
    }
    if (number < this.#expected.length) this.violation = ledgerDifference("ledger_missing", this.#name, number + 1);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  #differs(number: number, hash: Sha256): Violation | undefined {
    if (number > this.#expected.length) return ledgerDifference("ledger_extra", this.#name, number);
    return this.#expected.at(number - 1) === hash ? undefined : ledgerDifference("ledger_differs", this.#name, number);
  }
}

/** For a record without its ledgers: `session.close` still names the heads that the events must yield. */
export const absentLedger: LedgerWalk = {
  isReady: true,
  refill: () => Promise.resolve(),
  compare: () => undefined,
  finish: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  violation: undefined,
};
