import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson, domainError, err, messageOf, ok, parseJson } from "#base";
import type { Checkpoints } from "../checkpoints.ts";

/** Older ones are removed: one may turn out damaged, three will not. */
const keep = 3;
const digits = 12;

/** Checkpoints as files: `planes/ho2/checkpoints/<session_id>/<seq>.json`. */
export function fileCheckpoints(root: string): Checkpoints {
  const folderOf = (sessionId: string) => join(root, "planes", "ho2", "checkpoints", sessionId);
  const namesIn = async (folder: string): Promise<string[]> => {
    try {
      return (await readdir(folder))
        .filter((name) => /^\d{12}\.json$/.test(name))
        .sort()
        .reverse();
    } catch {
      return []; // no folder, no checkpoints: the whole log is read
    }
  };
  return {
    async newest(sessionId, count) {
      const folder = folderOf(sessionId);
      const found: unknown[] = [];
      for (const name of (await namesIn(folder)).slice(0, count)) {
        try {
          const parsed = parseJson(await readFile(join(folder, name), "utf8"));
          if (parsed.ok) found.push(parsed.value);
        } catch {
          // Unreadable is the same as damaged: the next older one, or the whole log.
        }
      }
      return found;
    },
    async write(checkpoint) {
      const folder = folderOf(checkpoint.session_id);
      const file = join(folder, `${String(checkpoint.at.seq).padStart(digits, "0")}.json`);
      try {
        await mkdir(folder, { recursive: true });
        const handle = await open(`${file}.new`, "w");
        try {
          await handle.write(canonicalJson(checkpoint));
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(`${file}.new`, file);
        for (const old of (await namesIn(folder)).slice(keep)) await rm(join(folder, old), { force: true });
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
