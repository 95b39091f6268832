import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { domainError, messageOf } from "#core/errors";
import { type Answer, err, isJsonObject, ok, type Random, type Result, type Sha256, sha256 } from "#core/values";

/** The bytes of pinned contracts, by hash: a session can read the ones that it began under after the files have changed. */
export interface ContractStore {
  /** Written only when it is new, and on disk when this returns. */
  keep(text: string, hash?: Sha256): Result<Sha256>;
  read(hash: string): Result<string>;
  /** A context that attention assembled, under the hash that the log gives it. */
  keepContext(context_hash: string, text: string): Result<void>;
  readContext(context_hash: string): Result<string>;
  /** Settled when everything kept so far is where every machine of the workspace finds it. */
  share(): Promise<Result<void>>;
  /** Copies texts to this machine that other machines stored. A text that no machine stored is an error only when it is read. */
  bring(hashes: readonly string[]): Promise<Result<void>>;
  bringContext(context_hash: string): Promise<Result<void>>;
}

/** Where machines that share no disk keep texts for each other. */
export interface SharedBlobs {
  keepTexts(texts: readonly { readonly name: string; readonly text: string }[]): Answer<void>;
  readTexts(names: readonly string[]): Answer<readonly { readonly name: string; readonly text: string }[]>;
}

/** In files of the workspace. With `elsewhere` the files are this machine's copy of what all machines store there. */
export function openContractStore(root: string, random: Random, elsewhere?: SharedBlobs): ContractStore {
  const folder = join(root, "planes/hot/law");
  const known = new Set<string>();
  const unshared = new Map<string, string>();

  const write = (name: string, text: string, durable: boolean): Result<void> => {
    if (known.has(name)) return ok(undefined);
    if (elsewhere) unshared.set(name, text);
    return writeHere(name, text, durable);
  };
  const writeHere = (name: string, text: string, durable: boolean): Result<void> => {
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
    if (durable) known.add(name); // a context has a name of its own in every session
    return ok(undefined);
  };
  const read = (name: string): Result<string> => {
    try {
      return ok(readFileSync(join(folder, name), "utf8"));
    } catch (thrown) {
      if (isJsonObject(thrown) && thrown["code"] === "ENOENT")
        return err(domainError("NOT_FOUND", `planes/hot/law/${name} is not there: it was never kept, or is gone`));
      return err(unavailable(`planes/hot/law/${name} cannot be read: ${messageOf(thrown)}`, thrown));
    }
  };
  const bring = async (names: readonly string[]): Promise<Result<void>> => {
    const missing = names.filter((name) => !known.has(name) && !existsSync(join(folder, name)));
    if (!elsewhere || missing.length === 0) return ok(undefined);
    const found = await elsewhere.readTexts(missing);
    if (!found.ok) return found;
    for (const { name, text } of found.value) {
      const written = writeHere(name, text, false);
      if (!written.ok) return written;
    }
    return ok(undefined);
  };
  return {
    async share() {
      if (!elsewhere || unshared.size === 0) return ok(undefined);
      const texts = [...unshared].map(([name, text]) => ({ name, text }));
      const kept = await elsewhere.keepTexts(texts);
      if (kept.ok) for (const { name } of texts) unshared.delete(name); // others may have come meanwhile
      return kept;
    },
    bring,
    bringContext: (context_hash) => bring([contextName(context_hash)]),
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
    keepContext: (context_hash, text) => write(contextName(context_hash), text, false),
    readContext: (context_hash) => read(contextName(context_hash)),
  };
}

function contextName(context_hash: string): string {
  return `${context_hash}.context.json`;
}

function unavailable(message: string, cause: unknown) {
  return domainError("LEDGER_UNAVAILABLE", message, { cause });
}
