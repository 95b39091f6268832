import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { domainError, err, isSessionId, messageOf, ok, type Result } from "#base";
import type { Checkpoint } from "../memory/checkpoint.ts";
import type { CheckpointStore } from "../memory/memory.ts";

const kept = 2;
const shape = /^\d{12}\.json$/;

/** Checkpoints on the ho2 plane, a folder per session, the latest two of each. They may be deleted at any time. */
export function checkpointFiles(root: string): CheckpointStore {
  const folderOf = (session_id: string) => join(root, "planes", "ho2", "checkpoints", session_id);
  return {
    async load(session_id) {
      if (!isSessionId(session_id)) return [];
      const found: unknown[] = [];
      for (const name of (await namesIn(folderOf(session_id))).toReversed()) {
        try {
          found.push(JSON.parse(await readFile(join(folderOf(session_id), name), "utf8")));
        } catch {
          found.push(undefined); // unreadable or torn: the caller hears of a checkpoint that does not verify
        }
      }
      return found;
    },
    async save(checkpoint: Checkpoint): Promise<Result<void>> {
      const folder = folderOf(checkpoint.session_id);
      const name = `${String(checkpoint.at.seq).padStart(12, "0")}.json`;
      try {
        await mkdir(folder, { recursive: true });
        const draft = join(folder, `${name}.${process.pid}.draft`);
        await writeFile(draft, JSON.stringify(checkpoint));
        await rename(draft, join(folder, name));
        const names = await namesIn(folder);
        for (const old of names.slice(0, -kept)) await rm(join(folder, old), { force: true });
        return ok(undefined);
      } catch (thrown) {
        return err(
          domainError("STORE_UNAVAILABLE", `the checkpoint could not be written: ${messageOf(thrown)}`, {
            cause: thrown,
          }),
        );
      }
    },
  };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => shape.test(name)).toSorted();
  } catch {
    return []; // no folder, no checkpoints: the whole log is replayed
  }
}
