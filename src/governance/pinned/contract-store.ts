import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { codeOfError, domainError, messageOf } from "#core/errors";
import { syncFolder } from "#core/machine";
import { type Answer, err, ok, type Random, type Result, type Sha256, sha256 } from "#core/values";

/** The bytes of pinned contracts, by hash: a session can read the ones that it began under after the files have changed. */
export interface ContractStore {
  /** Written only when they are new, and on disk when this has resolved. */
  keep(texts: readonly KeptText[]): Promise<Result<void>>;
  read(hash: string): Result<string>;
  /** Bytes of any kind, under their own hash: on disk, and where other machines find them, when this has resolved. */
  keepBytes(bytes: Uint8Array): Promise<Result<Sha256>>;
  readBytes(hash: string): Promise<Result<Uint8Array>>;
  /** A context that attention assembled, under the hash that the log gives it. */
  keepContext(context_hash: string, text: string): Result<void>;
  readContext(context_hash: string): Result<string>;
  /** Settled when everything kept so far is where every machine of the workspace finds it. */
  share(): Promise<Result<void>>;
  /** Copies texts to this machine that other machines stored. A text that no machine stored is an error only when it is read. */
  bring(hashes: readonly string[]): Promise<Result<void>>;
  bringContext(context_hash: string): Promise<Result<void>>;
}

export interface KeptText {
  readonly hash: Sha256;
  readonly text: string;
}

/** So many files are synced at once: the file system joins their syncs, and a session's first contracts are some forty. */
const syncedAtOnce = 32;

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

  const isNew = (name: string) => !known.has(name) && !existsSync(join(folder, name));
  const draftOf = (name: string) => `${join(folder, name)}.${Buffer.from(random.bytes(6)).toString("hex")}.tmp`;
  const note = (name: string, text: string) => void (elsewhere && !known.has(name) && unshared.set(name, text));
  const writeQuickly = (name: string, text: string): Result<void> => {
    if (!isNew(name)) return ok(undefined);
    try {
      mkdirSync(folder, { recursive: true });
      const draft = draftOf(name);
      writeFileSync(draft, text, { flag: "wx" });
      renameSync(draft, join(folder, name));
    } catch (thrown) {
      return err(notKept(thrown));
    }
    return ok(undefined);
  };
  const read = (name: string): Result<string> => {
    try {
      return ok(readFileSync(join(folder, name), "utf8"));
    } catch (thrown) {
      if (codeOfError(thrown) === "ENOENT")
        return err(domainError("NOT_FOUND", `planes/hot/law/${name} is not there: it was never kept, or is gone`));
      return err(unavailable(`planes/hot/law/${name} cannot be read: ${messageOf(thrown)}`, thrown));
    }
  };
  const bring = async (names: readonly string[]): Promise<Result<void>> => {
    const missing = names.filter(isNew);
    if (!elsewhere || missing.length === 0) return ok(undefined);
    const found = await elsewhere.readTexts(missing);
    if (!found.ok) return found;
    for (const { name, text } of found.value) {
      const written = writeQuickly(name, text);
      if (!written.ok) return written;
    }
    return ok(undefined);
  };
  const share: ContractStore["share"] = async () => {
    if (!elsewhere || unshared.size === 0) return ok(undefined);
    const texts = [...unshared].map(([name, text]) => ({ name, text }));
    const kept = await elsewhere.keepTexts(texts);
    if (kept.ok) for (const { name } of texts) unshared.delete(name); // others may have come meanwhile
    return kept;
  };
  const keep = async (texts: readonly { readonly name: string; readonly text: string }[]): Promise<Result<void>> => {
    for (const { name, text } of texts) note(name, text);
    const fresh = texts.filter(({ name }) => isNew(name)).map((kept) => ({ ...kept, draft: draftOf(kept.name) }));
    try {
      if (fresh.length > 0) mkdirSync(folder, { recursive: true });
      for (let at = 0; at < fresh.length; at += syncedAtOnce) {
        const batch = fresh.slice(at, at + syncedAtOnce);
        await Promise.all(batch.map(({ draft, text }) => writeSynced(draft, text)));
        for (const { name, draft } of batch) renameSync(draft, join(folder, name));
      }
      if (fresh.length > 0) await syncFolder(folder);
    } catch (thrown) {
      return err(notKept(thrown));
    }
    for (const { name } of texts) known.add(name);
    return ok(undefined);
  };
  return {
    share,
    bring,
    bringContext: (context_hash) => bring([contextName(context_hash)]),
    keep: (texts) => keep(texts.map(({ hash, text }) => ({ name: hash, text }))),
    async keepBytes(bytes) {
      const hash = sha256(bytes);
      const kept = await keep([{ name: bytesName(hash), text: Buffer.from(bytes).toString("base64") }]);
      const shared = kept.ok ? await share() : kept;
      return shared.ok ? ok(hash) : shared;
    },
    async readBytes(hash) {
      const brought = await bring([bytesName(hash)]);
      if (!brought.ok) return brought;
      const text = read(bytesName(hash));
      if (!text.ok) return text;
      const bytes = Buffer.from(text.value, "base64");
      if (sha256(bytes) === hash) return ok(bytes);
      return err(domainError("LEDGER_CORRUPT", `planes/hot/law/${bytesName(hash)} is not what its name says`));
    },
    read(hash) {
      const text = read(hash);
      if (!text.ok || sha256(text.value) === hash) return text;
      return err(domainError("LEDGER_CORRUPT", `planes/hot/law/${hash} is not what its name says: it was changed`));
    },
    // Not synced by itself: losing it to a power cut costs the resume of one session, a sync would cost every request one.
    keepContext(context_hash, text) {
      const name = contextName(context_hash); // its own in every session
      note(name, text);
      return writeQuickly(name, text);
    },
    readContext: (context_hash) => read(contextName(context_hash)),
  };
}

async function writeSynced(draft: string, text: string): Promise<void> {
  const file = await open(draft, "wx");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function notKept(cause: unknown) {
  return unavailable(`the law could not be kept in planes/hot/law: ${messageOf(cause)}`, cause);
}

/** In base64, because machines share texts. */
function bytesName(hash: string): string {
  return `${hash}.base64`;
}

function contextName(context_hash: string): string {
  return `${context_hash}.context.json`;
}

function unavailable(message: string, cause: unknown) {
  return domainError("LEDGER_UNAVAILABLE", message, { cause });
}
