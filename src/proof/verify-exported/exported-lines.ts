import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { type Portion, split } from "#log";
import type { ByteCursor } from "./byte-cursor.ts";

/** Four times the default of `limits.payload_bytes`, the most that one event may hold: a longer line is no event. */
export const maxLineBytes: number = 64 * 1024 * 1024;

/** Lines as they come. A last one without its LF is given as torn; one without end is refused before it fills the memory. */
export async function* exportedLines(cursor: ByteCursor): AsyncGenerator<Result<Portion>> {
  let number = 1;
  do {
    const cut = cursor.pending.lastIndexOf(10) + 1;
    if (cut > 0)
      for (const portion of split(cursor.take(cut))) {
        number += portion.texts.length;
        yield ok(portion);
      }
    if (cursor.pending.length > maxLineBytes) {
      yield tooLong(`line ${number}`);
      return;
    }
  } while (await cursor.more());
  if (cursor.failure !== undefined) yield cannotGoOn(cursor.failure);
  else if (cursor.pending.length > 0) yield ok({ texts: [cursor.pending.toString("utf8")], fault: "torn", bytes: 0 });
}

export function tooLong(what: string): Result<never> {
  const limit = maxLineBytes / (1024 * 1024);
  return err(domainError("LEDGER_CORRUPT", `${what} is longer than ${limit} MiB, which no event is`));
}

export function cannotGoOn(why: string): Result<never> {
  return err(domainError("LEDGER_CORRUPT", `it cannot be read to its end: ${why}`));
}
