import { appendFile, mkdir } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { domainError, messageOf } from "#core/errors";
import { err, type Files, ok } from "#core/values";
import type { Tape } from "./adapters/cassette/cassette.ts";

const maxBytes = 256 * 1024 * 1024;

/** A cassette in a file. It may hold what people said, so only its owner reads it. */
export function fileTape(root: string, name: string, files: Files): Tape {
  const path = isAbsolute(name) ? name : join(root, name);
  return {
    name,
    read: () => files.readText(path, { maxBytes }),
    async append(line) {
      try {
        await mkdir(dirname(path), { recursive: true });
        await appendFile(path, line, { mode: 0o600 });
        return ok(undefined);
      } catch (thrown) {
        return err(
          domainError("LEDGER_UNAVAILABLE", `the cassette ${name} cannot be written: ${messageOf(thrown)}`, {
            details: { cassette: name },
            cause: thrown,
          }),
        );
      }
    },
  };
}
