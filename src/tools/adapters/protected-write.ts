import { constants } from "node:fs";
import { link, lstat, open, rename, unlink } from "node:fs/promises";
import {
  type DomainError,
  domainError,
  err,
  type Failpoint,
  ok,
  type Random,
  type Result,
  type Sha256,
  sha256,
} from "#base";
import { comparablePath } from "#governance";
import { codeOfError, fileError } from "./file-errors.ts";
import { type HeldFolder, holdFolder } from "./held-folder.ts";
import { readEntry } from "./read-file.ts";
import { inTurn } from "./turn-queue.ts";

export interface ProtectedWrite {
  readonly root: string;
  /** Checked by the caller: inside the workspace, within its rights, not protected. */
  readonly path: string;
  readonly content: string;
  /** Of the content to be replaced; empty when the file must not exist. */
  readonly expectedHash: string;
  /** A call repeated under its key: when the file already is what is to be written, it was written. */
  readonly repeated: boolean;
  readonly random: Random;
  readonly failpoint: Failpoint;
}

export interface Written {
  readonly hash: Sha256;
  readonly bytes: number;
  readonly created: boolean;
}

/** Larger files are not replaced: their content could not be compared within a call. */
const maxReplacedBytes = 64 * 1024 * 1024;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Replaces a file, or makes a new one, in one step: a reader, or whoever comes after a crash, finds the old content or the
 * new one. The expected hash is always checked. No symbolic link is followed: not in the folders (each is held open), not in
 * the last part (a rename replaces a link, it does not follow it).
 */
export function protectedWrite(request: ProtectedWrite): Promise<Result<Written>> {
  // Writers of one process queue; writers of other processes meet at the claim.
  return inTurn(`${request.root}\n${comparablePath(request.path)}`, () => write(request));
}

async function write(request: ProtectedWrite): Promise<Result<Written>> {
  const parts = request.path.split("/");
  const name = parts.pop() ?? "";
  const folder = await holdFolder(request.root, parts, request.expectedHash === "");
  if (!folder.ok) return folder;
  try {
    return await writeIn(folder.value, name, request);
  } catch (thrown) {
    return err(fileError(thrown, request.path));
  } finally {
    await folder.value.close();
  }
}

async function writeIn(folder: HeldFolder, name: string, request: ProtectedWrite): Promise<Result<Written>> {
  const bytes = Buffer.from(request.content, "utf8");
  const hash = sha256(bytes);
  const written = { hash, bytes: bytes.length, created: request.expectedHash === "" };
  const current = await lookAt(folder, name, request);
  if (!current.ok) return current;
  if (request.repeated && current.value.hash === hash) return ok(written);
  if (current.value.hash !== request.expectedHash) return err(conflict(request, current.value.hash));

  const temporary = `.writ-tmp-${Buffer.from(request.random.bytes(12)).toString("hex")}`;
  try {
    await writeTemporary(folder, temporary, bytes, current.value);
    request.failpoint("fs.write: temporary file written");
    const committed =
      request.expectedHash === ""
        ? create(folder, temporary, name, request)
        : replace(folder, temporary, name, request);
    const done = await committed;
    if (!done.ok) return done;
    await folder.sync();
    return ok(written);
  } finally {
    await remove(folder.at(temporary));
  }
}

interface Current {
  /** Empty when there is no file. */
  readonly hash: Sha256;
  readonly mode?: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
}

async function lookAt(folder: HeldFolder, name: string, request: ProtectedWrite): Promise<Result<Current>> {
  const file = await readEntry(folder, name, request.path, maxReplacedBytes);
  if (file.ok) return ok({ hash: file.value.hash, mode: file.value.stats.mode & 0o777, owner: file.value.stats });
  return file.error.code === "NOT_FOUND" ? ok({ hash: "" }) : file;
}

async function writeTemporary(
  folder: HeldFolder,
  temporary: string,
  bytes: Uint8Array,
  current: Current,
): Promise<void> {
  const handle = await open(folder.at(temporary), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o644);
  try {
    await handle.writeFile(bytes);
    if (current.mode !== undefined) await handle.chmod(current.mode);
    // Root writes for the workspace's owner, not for itself.
    const { uid, gid } = current.owner ?? folder.owner;
    if (process.getuid?.() === 0) await handle.chown(uid, gid);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** `link` fails when the name is taken, by whatever: of all who create a file, one does. */
async function create(
  folder: HeldFolder,
  temporary: string,
  name: string,
  request: ProtectedWrite,
): Promise<Result<void>> {
  if (!(await folder.isInPlace())) return err(moved(request));
  request.failpoint("fs.write: about to commit");
  try {
    await link(folder.at(temporary), folder.at(name));
    return ok(undefined);
  } catch (thrown) {
    if (codeOfError(thrown) !== "EEXIST") throw thrown;
    const current = await lookAt(folder, name, request);
    return current.ok ? err(conflict(request, current.value.hash)) : current;
  }
}

/**
 * The claim is a second name of the temporary file, so only one process holds it, and it is seen to be one's own by its
 * inode. Under it the hash is checked again and the file replaced.
 */
async function replace(
  folder: HeldFolder,
  temporary: string,
  name: string,
  request: ProtectedWrite,
): Promise<Result<void>> {
  const claim = `.writ-claim-${sha256(comparablePath(name)).slice(0, 24)}`;
  if (!(await takeClaim(folder, temporary, claim))) return err(busy(request));
  try {
    const current = await lookAt(folder, name, request);
    if (!current.ok) return current;
    if (current.value.hash !== request.expectedHash) return err(conflict(request, current.value.hash));
    if (!(await folder.isInPlace())) return err(moved(request));
    if (!(await isSameFile(folder.at(claim), folder.at(temporary)))) return err(busy(request));
    request.failpoint("fs.write: about to commit");
    await rename(folder.at(temporary), folder.at(name));
    request.failpoint("fs.write: committed");
    return ok(undefined);
  } finally {
    await remove(folder.at(claim));
  }
}

/** A claim this old was left by a process that died: a live one holds it for milliseconds. */
const staleClaimMs = 30_000;

async function takeClaim(folder: HeldFolder, temporary: string, claim: string): Promise<boolean> {
  for (const last of [false, true]) {
    try {
      await link(folder.at(temporary), folder.at(claim));
      return true;
    } catch (thrown) {
      if (codeOfError(thrown) !== "EEXIST") throw thrown;
    }
    if (last || !(await isStale(folder, temporary, claim))) return false;
    await remove(folder.at(claim));
  }
  return false;
}

/** Both times come from the same file system, so no clock is compared with another. */
async function isStale(folder: HeldFolder, temporary: string, claim: string): Promise<boolean> {
  try {
    const [mine, other] = await Promise.all([lstat(folder.at(temporary)), lstat(folder.at(claim))]);
    return mine.mtimeMs - other.mtimeMs > staleClaimMs;
  } catch (thrown) {
    if (codeOfError(thrown) === "ENOENT") return true; // given back meanwhile
    throw thrown;
  }
}

async function isSameFile(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([lstat(a), lstat(b)]);
  return one.ino === other.ino && one.dev === other.dev;
}

async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (thrown) {
    if (codeOfError(thrown) !== "ENOENT") throw thrown;
  }
}

function conflict(request: ProtectedWrite, currentHash: string): DomainError {
  const path = JSON.stringify(request.path);
  const message =
    request.expectedHash === ""
      ? `${path} exists already, and the write said that it must not; read it and give its hash to replace it`
      : currentHash === ""
        ? `${path} is gone; give an empty expected_hash to make it anew`
        : `${path} has changed since it was read; read it again and give its present hash`;
  return domainError("WRITE_CONFLICT", message, {
    details: { path: request.path, expected_hash: request.expectedHash, current_hash: currentHash },
  });
}

function busy(request: ProtectedWrite): DomainError {
  return domainError("WRITE_CONFLICT", `${JSON.stringify(request.path)} is being written by another process`);
}

function moved(request: ProtectedWrite): DomainError {
  return domainError("WRITE_CONFLICT", `the folder of ${JSON.stringify(request.path)} was moved or replaced meanwhile`);
}
