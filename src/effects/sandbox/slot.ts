import { execFile } from "node:child_process";
import { chmodSync, chownSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { domainError } from "#core/errors";
import { err, ok, type Random, type Result } from "#core/values";
import type { Identity } from "./identity.ts";

/** The folders of one single-use sandbox, outside the workspace: an overlay refuses to lie inside its own lower tree. */
export interface Slot {
  readonly folder: string;
  readonly upper: string;
  readonly work: string;
  /** A layer between workspace and upper that hides what the turn may not see. */
  readonly mask: string;
  readonly merged: string;
  /** Mount point of an id-mapped view of the workspace. */
  readonly lower: string;
}

/**
 * Folder of the slots: on the workspace's own file system if possible, so that a commit is a rename. It must belong to the
 * user who runs Writ; a folder of another user is refused.
 */
export function slotHome(root: string, override?: string): Result<string> {
  const uid = process.getuid?.() ?? 0;
  const device = statSync(root).dev;
  const candidates = override
    ? [override]
    : [join("/var/tmp", `writ-${uid}`), join(homedir(), ".local/state/writ"), join(tmpdir(), `writ-${uid}`)];
  const usable = candidates.filter((folder) => prepareHome(folder, uid) && !folder.startsWith(`${root}/`));
  const best = usable.find((folder) => statSync(folder).dev === device) ?? usable[0];
  if (best === undefined)
    return err(
      domainError(
        "SANDBOX_UNAVAILABLE",
        `no folder for sandboxes can be made in ${candidates.map(dirname).join(", ")}`,
        {
          details: { candidates },
        },
      ),
    );
  return ok(best);
}

function prepareHome(folder: string, uid: number): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.uid !== uid) return false;
    if ((stat.mode & 0o777) !== 0o711) chmodSync(folder, 0o711);
    return true;
  } catch {
    return false; // the next candidate is tried; with none left the caller gets an error
  }
}

export function makeSlot(home: string, root: string, identity: Identity, random: Random): Slot {
  const folder = join(home, `slot-${Buffer.from(random.bytes(16)).toString("hex")}`);
  mkdirSync(folder, { mode: 0o710 });
  const slot: Slot = {
    folder,
    upper: join(folder, "upper"),
    work: join(folder, "work"),
    mask: join(folder, "mask"),
    merged: join(folder, "merged"),
    lower: join(folder, "lower"),
  };
  // The merged top folder takes its mode from the layers, so their top folders copy the workspace's mode.
  const mode = statSync(root).mode & 0o777;
  for (const each of [slot.upper, slot.work, slot.mask, slot.merged, slot.lower]) {
    mkdirSync(each, { mode: 0o700 });
    chmodSync(each, mode);
  }
  if (identity.kind === "owner" || identity.kind === "shifted") {
    chownSync(folder, 0, identity.gid);
    for (const each of [slot.upper, slot.mask]) chownSync(each, identity.uid, identity.gid);
  }
  return slot;
}

/** Removes a slot whatever the turn left in it: folders without permissions, or nested deeper than the longest path. */
export async function dropSlot(slot: Pick<Slot, "folder">): Promise<void> {
  try {
    await rm(slot.folder, { recursive: true, force: true });
  } catch {
    // `rm` descends by descriptor and gives folders their permissions back first.
    await new Promise<void>((resolve) => {
      execFile("/bin/sh", ["-c", 'chmod -R u+rwx "$1"; rm -rf "$1"', "sh", slot.folder], { env: {} }, () => resolve());
    });
  }
}
