import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOfError, domainError, messageOf } from "#core/errors";
import { err, isSessionId, ok, type Random, type Result } from "#core/values";
import type { Checkpoint } from "../memory/checkpoint.ts";
import type { CheckpointStore } from "../memory/memory.ts";

const kept = 2;
const nameLength = "000000000000.json".length;
const shape = /^\d{12}\.json$/;
const draftShape = /^\d{12}\.json\..+\.draft$/;

/**
 * Checkpoints on the ho2 plane, a folder per session, the latest two of each. They may be deleted at any time. After a
 * process has put one in place it removes older drafts, including those of dead processes. A process that is still writing
 * such a draft loses it, and finds the newer checkpoint in its place.
 */
export function checkpointFiles(root: string, random: Random): CheckpointStore {
  const folderOf = (session_id: string) => join(root, "planes", "ho2", "checkpoints", session_id);
  return {
    async load(session_id) {
      if (!isSessionId(session_id)) return [];
      const found: unknown[] = [];
      for (const name of checkpointsIn(await namesIn(folderOf(session_id))).toReversed()) {
        try {
          found.push(JSON.parse(await readFile(join(folderOf(session_id), name), "utf8")));
        } catch {
          found.push(undefined); // unreadable or torn: the caller reports a checkpoint that does not verify
        }
      }
      return found;
    },
    async save(checkpoint: Checkpoint): Promise<Result<void>> {
      const folder = folderOf(checkpoint.session_id);
      const name = `${String(checkpoint.at.seq).padStart(12, "0")}.json`;
      const draft = join(folder, `${name}.${Buffer.from(random.bytes(6)).toString("hex")}.draft`);
      try {
        await mkdir(folder, { recursive: true });
        await writeFile(draft, JSON.stringify(checkpoint), { flag: "wx" });
        await rename(draft, join(folder, name));
        for (const old of outdatedBy(name, await namesIn(folder))) await rm(join(folder, old), { force: true });
        return ok(undefined);
      } catch (thrown) {
        const isCleared = codeOfError(thrown) === "ENOENT";
        if (isCleared && checkpointsIn(await namesIn(folder)).some((other) => other >= name)) return ok(undefined);
        return err(
          domainError("STORE_UNAVAILABLE", `the checkpoint could not be written: ${messageOf(thrown)}`, {
            cause: thrown,
          }),
        );
      }
    },
  };
}

function outdatedBy(name: string, names: readonly string[]): readonly string[] {
  const drafts = names.filter((each) => draftShape.test(each) && each.slice(0, nameLength) <= name);
  return [...checkpointsIn(names).slice(0, -kept), ...drafts];
}

/** Oldest first. */
function checkpointsIn(names: readonly string[]): readonly string[] {
  return names.filter((name) => shape.test(name)).toSorted();
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    return []; // no folder, no checkpoints: the whole log is replayed
  }
}
