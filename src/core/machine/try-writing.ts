import { open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { codeOfError, domainError, messageOf } from "../errors/index.ts";
import { err, ok, type Result } from "../values/result.ts";

const block = Buffer.alloc(4096, "w");

/** Makes a file in this folder, brings it to the disk and removes it: what a record needs. Answers the room that is left, in bytes. */
export async function tryWriting(folder: string): Promise<Result<number>> {
  const file = join(folder, `.writable-${process.pid}`);
  try {
    const handle = await open(file, "w");
    try {
      await handle.writeFile(block);
      await handle.datasync();
    } finally {
      await handle.close();
      await rm(file, { force: true });
    }
    return ok(await freeBytes(folder));
  } catch (thrown) {
    const isFull = ["ENOSPC", "EDQUOT"].includes(String(codeOfError(thrown)));
    const why = isFull ? "the disk is full" : messageOf(thrown);
    return err(
      domainError("STORE_UNAVAILABLE", `the workspace takes no writes: ${why}`, {
        details: {
          folder,
          hint: isFull
            ? "make room on the disk: nothing that was recorded is lost"
            : "look at who owns the folder and how it is mounted",
        },
        cause: thrown,
      }),
    );
  }
}

/** The room that is left for an ordinary user on the disk of this folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
