import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOfError, type DomainError, domainError } from "../errors/index.ts";
import { err, ok, type Result } from "../values/result.ts";

/** What is kept free for deciding and reading on a full disk: an index of SQLite has 32 KiB, a decision and its events less. */
const reserveBytes = 1024 * 1024;
const reserveName = ".reserve";
/** Below this SQLite cannot open its files. */
const leastBytes = 256 * 1024;

/** Whether the failure says that the disk of this folder is full. SQLite's own code names it only for some calls. */
export function isDiskFull(thrown: unknown, folder: string): boolean {
  const code = String(codeOfError(thrown));
  if (["ENOSPC", "EDQUOT", "SQLITE_FULL"].includes(code)) return true;
  return /^SQLITE_(IOERR|CANTOPEN)/.test(code) && freeIn(folder) < leastBytes;
}

/** The room that is left for an ordinary user, in bytes; as much as one likes where the system does not say. */
export function freeIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch (thrown) {
    void thrown; // a folder that is not there yet: the write that comes next says so
    return Number.POSITIVE_INFINITY;
  }
}

/** Gives back what was kept for a full disk, so that deciding and reading go on. True if there was any. */
export function useReserve(folder: string): boolean {
  const reserve = join(folder, reserveName);
  if (!existsSync(reserve)) return false;
  rmSync(reserve, { force: true });
  return true;
}

/** Uses the reserve where nothing could be written without it. */
export function makeRoom(folder: string): void {
  if (freeIn(folder) < leastBytes) useReserve(folder);
}

/** Keeps room for a full disk, while there is plenty. */
export function keepReserve(folder: string, plentyBytes: number): void {
  const reserve = join(folder, reserveName);
  if (existsSync(reserve) || freeIn(folder) < plentyBytes + reserveBytes) return;
  try {
    writeFileSync(reserve, Buffer.alloc(reserveBytes, "w"), { flag: "wx" });
  } catch (thrown) {
    void thrown; // another process keeps it, or the folder is read-only: then nothing is written here anyway
  }
}

export function diskFull(folder: string, cause?: unknown): DomainError {
  return domainError("STORE_UNAVAILABLE", `the disk of ${folder} is full; nothing that was recorded is lost`, {
    details: { where: folder, hint: `make room on the disk of ${folder}, then try again` },
    cause,
  });
}

/** Whether new work may begin: it would break what is under way before it ended itself. */
export function hasRoomFor(folder: string, leastFree: number): Result<void> {
  const free = freeIn(folder);
  if (free >= leastFree) return ok(undefined);
  if (free < leastBytes) useReserve(folder);
  const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);
  return err(
    domainError(
      "STORE_UNAVAILABLE",
      `the disk of ${folder} is nearly full: ${megabytes(free)} MB are free, and new work begins only above ${megabytes(leastFree)} MB (limits.free_disk_bytes); what is under way goes on, and reading and deciding too`,
      { details: { where: folder, hint: `make room on the disk of ${folder}, then try again` } },
    ),
  );
}
