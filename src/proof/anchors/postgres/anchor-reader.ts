import type { Postgres } from "#core/database";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { sql } from "#log";
import { AnchoredHeads } from "../anchored-heads.ts";

const readAnchors = sql("read-anchors");
const anchorCount = sql("anchor-count");
const page = 1_000;

/**
 * How far this process has read the anchor log, as far as the last whole batch. That a head stands under the newest root is known
 * only once all of them are hashed, so the first look reads them all, and each later one what was added since.
 */
export class AnchorReader {
  readonly heads: AnchoredHeads = new AnchoredHeads();
  readonly #postgres: Postgres;
  readonly #tenant: string;
  #lines = 0;
  #reading: Promise<Result<void>> | undefined;

  constructor(postgres: Postgres, tenant: string) {
    this.#postgres = postgres;
    this.#tenant = tenant;
  }

  /** A caller that arrives during a read waits and then reads again: a head that was added meanwhile may be the one it needs. */
  async catchUp(): Promise<Result<void>> {
    while (this.#reading) await this.#reading.catch(() => undefined); // its failure is returned to the caller that started it
    this.#reading = this.#read();
    try {
      return await this.#reading;
    } finally {
      this.#reading = undefined;
    }
  }

  async #read(): Promise<Result<void>> {
    this.heads.backToWhole();
    const [counted] = await this.#postgres.rows(anchorCount, [this.#tenant]);
    let read = this.#lines;
    for (let isLast = false; !isLast; ) {
      const rows = await this.#postgres.rows(readAnchors, [this.#tenant, read, page]);
      isLast = rows.length < page;
      for (const [number, text] of rows) {
        read += 1;
        if (number !== read) return err(damaged(read, "it is missing"));
        const line = this.heads.read(text as string);
        if ("message" in line) return err(damaged(read, line.message));
        if (line.as === "end of a batch") this.#lines = read;
      }
    }
    if (this.heads.isWithin) return err(damaged(read, "no checkpoint follows it"));
    if (read < ((counted?.[0] as number | undefined) ?? 0)) return err(damaged(read + 1, "it is missing"));
    return ok(undefined);
  }
}

function damaged(line: number, message: string) {
  return domainError(
    "LEDGER_CORRUPT",
    `the anchor log does not verify at line ${line}: ${message}; \`writ session verify --all\` says more`,
    { details: { line } },
  );
}
