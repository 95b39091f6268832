import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOfError, type DomainError, domainError, messageOf } from "#core/errors";
import { syncFolder } from "#core/machine";
import { err, type IdSource, ok, type Result, type Sha256, sha256 } from "#core/values";
import type { DocumentRef, Documents } from "../../documents.ts";
import { changedDocument, isHash, malformedHash, noSuchDocument } from "../document-hash.ts";

/** Documents as files, `ab/cdef…` under a folder. Written to a temporary file, synced, then renamed, so a file is always whole. */
export function fileDocuments(folder: string, ids: IdSource): Documents {
  const pathOf = (hash: Sha256): { readonly folder: string; readonly file: string } => {
    const sub = join(folder, hash.slice(0, 2));
    return { folder: sub, file: join(sub, hash.slice(2)) };
  };
  return {
    async put(content) {
      const hash = sha256(content);
      const ref: DocumentRef = { sha256: hash, bytes: Buffer.byteLength(content) };
      const target = pathOf(hash);
      const aside = join(folder, ids.sortable("tmp"));
      try {
        if (await exists(target.file)) return ok(ref);
        await mkdir(target.folder, { recursive: true });
        await writeSynced(aside, content);
        await rename(aside, target.file);
        await syncFolder(target.folder);
        await syncFolder(folder);
        return ok(ref);
      } catch (thrown) {
        const cleared = await rm(aside, { force: true }).then(
          () => "",
          (failed: unknown) => ` (and ${aside} stays: ${messageOf(failed)})`,
        );
        return err(unavailable(`cannot keep document ${hash}${cleared}`, thrown));
      }
    },
    async get(hash) {
      if (!isHash(hash)) return err(malformedHash(hash));
      try {
        const content = await readFile(pathOf(hash).file);
        if (sha256(content) === hash) return ok(content);
        return err(changedDocument(hash));
      } catch (thrown) {
        if (isAbsent(thrown)) return err(noSuchDocument(hash));
        return err(unavailable(`cannot read document ${hash}`, thrown));
      }
    },
    async has(hash): Promise<Result<boolean>> {
      if (!isHash(hash)) return err(malformedHash(hash));
      try {
        return ok(await exists(pathOf(hash).file));
      } catch (thrown) {
        return err(unavailable(`cannot look for document ${hash}`, thrown));
      }
    },
  };
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (thrown) {
    if (isAbsent(thrown)) return false;
    throw thrown;
  }
}

async function writeSynced(file: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(file, "wx");
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isAbsent(thrown: unknown): boolean {
  return codeOfError(thrown) === "ENOENT";
}

function unavailable(message: string, thrown: unknown): DomainError {
  return domainError("STORE_UNAVAILABLE", `${message}: ${messageOf(thrown)}`, { cause: thrown });
}
