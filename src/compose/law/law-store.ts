import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { domainError, err, messageOf, ok, type Random, type Result, type Sha256, sha256 } from "#base";

/** The bytes of the law, by hash: what a session began under can be had again after the files have changed. */
export interface LawStore {
  /** Written only when it is new, and on disk when this answers. */
  keep(text: string, hash?: Sha256): Result<Sha256>;
  read(hash: string): Result<string>;
  /** A context that attention assembled, under the hash that the log gives it. */
  keepContext(context_hash: string, text: string): Result<void>;
  readContext(context_hash: string): Result<string>;
}

export function lawStore(root: string, random: Random): LawStore {
  const folder = join(root, "planes/hot/law");
  const known = new Set<string>();

  const write = (name: string, text: string, durable: boolean): Result<void> => {
    if (known.has(name)) return ok(undefined);
    const path = join(folder, name);
    try {
      if (!existsSync(path)) {
        mkdirSync(folder, { recursive: true });
        const temporary = `${path}.${Buffer.from(random.bytes(6)).toString("hex")}.tmp`;
        const file = openSync(temporary, "wx");
        try {
          writeSync(file, text);
          if (durable) fsyncSync(file);
        } finally {
          closeSync(file);
        }
        renameSync(temporary, path);
      }
    } catch (thrown) {
      return err(unavailable(`the law could not be kept in planes/hot/law: ${messageOf(thrown)}`, thrown));
    }
    known.add(name);
    return ok(undefined);
  };
  const read = (name: string): Result<string> => {
    try {
      return ok(readFileSync(join(folder, name), "utf8"));
    } catch (thrown) {
      return err(unavailable(`planes/hot/law/${name} cannot be read: ${messageOf(thrown)}`, thrown));
    }
  };
  return {
    keep(text, hash = sha256(text)) {
      const written = write(hash, text, true);
      return written.ok ? ok(hash) : written;
    },
    read(hash) {
      const text = read(hash);
      if (!text.ok || sha256(text.value) === hash) return text;
      return err(domainError("LEDGER_CORRUPT", `planes/hot/law/${hash} is not what its name says: it was changed`));
    },
    // Not synced by itself: losing it to a power cut costs the resume of one session, a sync would cost every request one.
    keepContext: (context_hash, text) => write(`${context_hash}.context.json`, text, false),
    readContext: (context_hash) => read(`${context_hash}.context.json`),
  };
}

function unavailable(message: string, cause: unknown) {
  return domainError("LEDGER_UNAVAILABLE", message, { cause });
}
