import { stat } from "node:fs/promises";
import { join } from "node:path";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { tiers } from "#log";

const folders: readonly string[] = [
  "planes",
  ...tiers.flatMap((tier) => [`planes/${tier}`, `planes/${tier}/sessions`]),
];

/** Each place of records is a folder or does not exist yet. With a file there the workspace would look as if it had no records. */
export async function requirePlanes(root: string): Promise<Result<void>> {
  for (const folder of folders) {
    const path = join(root, folder);
    const found = await stat(path).catch(() => undefined); // unreadable: the later step that needs it reports why
    if (found && !found.isDirectory())
      return err(
        domainError("LEDGER_UNAVAILABLE", `${path} is no folder: the records of the workspace belong there`, {
          retryable: false,
          details: {
            where: path,
            hint: "move it away and put the folder back from a backup; if there never was one, `writ init` makes it",
          },
        }),
      );
  }
  return ok(undefined);
}
