import { closeSync, openSync, readSync } from "node:fs";
import type { Postgres } from "#core/database";
import { codeOfError, type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { anchorFile, sql } from "#log";
import { anchorLinesIn } from "../anchors/postgres/anchor-lines-in.ts";
import { anchorLinesOf } from "../anchors/read-anchors.ts";
import { fileOfMemory, type KeptCheckpoint, type RememberedPlace, readKept } from "./kept-checkpoint.ts";

const readAnchors = sql("read-anchors");
const noSuchTable = "42P01";

export interface JudgedStore extends RememberedPlace {
  readonly postgres?: Postgres | undefined;
}

/**
 * Whether the anchor log still holds the newest checkpoint that this machine saw of it. One that was put back from an older
 * backup does not, and neither does one that went another way since. Costs one read at the place where it stood.
 */
export async function judgeStore(store: JudgedStore): Promise<Result<void>> {
  const found = readKept(store);
  switch (found.is) {
    case "nothing":
      return ok(undefined);
    case "damaged":
      return err(memoryDamaged(fileOfMemory(store), found.why));
    case "kept":
      return (await holds(found.kept, store)) ? ok(undefined) : err(behind(found.kept));
  }
}

async function holds(kept: KeptCheckpoint, store: JudgedStore): Promise<boolean> {
  const { root, tenant, postgres } = store;
  if (kept.in === "file" && stoodInFile(root, kept)) return true; // also where the database is another log beside it
  if (postgres && kept.in === "database" && (await lineInDatabase(postgres, tenant, kept.at)) === kept.line)
    return true;
  // Moved into a database since, or back: it stands elsewhere.
  const lines = postgres ? anchorLinesIn(postgres, tenant, root) : anchorLinesOf(root);
  for await (const { texts } of lines) if (texts.includes(kept.line)) return true;
  return false;
}

async function lineInDatabase(postgres: Postgres, tenant: string, number: number): Promise<unknown> {
  try {
    const [row] = await postgres.retrying(() => postgres.rows(readAnchors, [tenant, number - 1, 1]));
    return row?.[1];
  } catch (thrown) {
    if (codeOfError(thrown) === noSuchTable) return undefined;
    throw thrown;
  }
}

function stoodInFile(root: string, { line, at }: KeptCheckpoint): boolean {
  let fd: number | undefined;
  try {
    fd = openSync(anchorFile(root), "r");
    const expected = Buffer.from(`${line}\n`);
    const found = Buffer.alloc(expected.length);
    return readSync(fd, found, 0, found.length, at) === found.length && found.equals(expected);
  } catch (thrown) {
    if (codeOfError(thrown) === "ENOENT") return false;
    throw thrown;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const remedy =
  '`writ anchor accept --reason "…"` takes it as it is, for the record; halting, verifying and reading go on meanwhile';

function behind({ checkpoint: { ts, tree_size, root_hash } }: KeptCheckpoint): DomainError {
  return domainError(
    "STORE_BEHIND",
    `this store is behind what this machine saw of it: the checkpoint of ${ts} over ${tree_size} heads (root ${root_hash.slice(0, 12)}…) is not in it any more, as after an older backup was put back; \`writ anchor accept\` takes it as it is`,
    { details: { tree_size, root_hash, ts, hint: `put back the newest one; or, if this is meant: ${remedy}` } },
  );
}

function memoryDamaged(file: string, why: string): DomainError {
  return domainError(
    "STORE_BEHIND",
    `what this machine keeps of this store cannot be read, and whether the store is behind is not known (${file}: ${why}); \`writ anchor accept\` takes it as it is`,
    { details: { where: file, hint: remedy } },
  );
}
