import { chmodSync, constants, copyFileSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { ok, type Result } from "#core/values";
import type { TurnLimits } from "../../sandbox/limits.ts";
import { scanLayer } from "../../sandbox/scan-layer.ts";
import { hashFile } from "../files/hash-file.ts";
import type { FileView } from "../layer/file-view.ts";
import type { RealizedWrite } from "../realized.ts";
import type { TurnHandler } from "../turn.ts";
import type { Ran } from "./run-sandboxed.ts";

/**
 * Has a running server answer one call, then reads what it has written since the last one. Its layer stays as it is: the server
 * goes on over it. So the turn gets copies, and what is already the session's own is no write of this turn.
 */
export async function runServer(
  handler: Extract<TurnHandler, { kind: "server" }>,
  options: { readonly folder: string; readonly limits: TurnLimits; readonly view: FileView },
): Promise<Result<Ran>> {
  const { folder, limits, view } = options;
  const { layer } = handler;
  const answer = await handler.call();
  const { upper, merged, hidden } = layer;
  const unshown = new Map(layer.unshown.map(({ path, pattern }) => [path, pattern]));
  const realized = scanLayer({ upper, base: view, merged, hidden, ignored: [], limits });
  const writes = realized.writes
    .filter((write) => !isThere(view, write))
    .map((write) => {
      const pattern = write.kind === "folder" ? undefined : unshown.get(write.path);
      return pattern === undefined ? write : refused(write.path, pattern);
    });
  mkdirSync(folder, { mode: 0o700 });
  for (const write of writes) {
    if (write.kind !== "write") continue;
    mkdirSync(join(folder, dirname(write.path)), { recursive: true });
    copyFileSync(join(upper, write.path), join(folder, write.path), constants.COPYFILE_FICLONE);
    chmodSync(join(folder, write.path), 0o600);
  }
  return ok({
    outcome: answer.ok ? { result: answer.value } : { result: null, error: answer.error },
    realized: { ...realized, writes },
    given: [],
    layer: folder,
    inPlace: false,
  });
}

/** The server took it for absent. */
function refused(path: string, pattern: string): RealizedWrite {
  const why = `the server is not shown what an agent wrote there; \`live: ${JSON.stringify([pattern])}\` among its rights shows it`;
  return { kind: "refused", path, why };
}

function isThere(view: FileView, write: RealizedWrite): boolean {
  if (write.kind !== "write") return false;
  const path = view.at(write.path);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size !== write.size || (stat.mode & 0o777) !== (write.mode & 0o777)) return false;
  return hashFile(openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)) === write.hash;
}
