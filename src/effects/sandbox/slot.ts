import { chmodSync, chownSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { domainError } from "#core/errors";
import { homeFolder, removeTreeInSlices } from "#core/machine";
import { err, ok, type Random, type Result } from "#core/values";
import type { Identity } from "./identity.ts";
import type { LayerQuota } from "./quota.ts";

/** The folders of one single-use sandbox, outside the workspace: an overlay refuses to lie inside its own lower tree. */
export interface Slot {
  readonly folder: string;
  /** Holds the turn's own layer; with a quota a file system of its own is mounted here, which only the holder's mounts show. */
  readonly space: string;
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
  const home = homeFolder();
  const below = home === undefined ? [] : [join(home, ".local/state/writ")];
  const candidates = override ? [override] : [join("/var/tmp", `writ-${uid}`), ...below, join(tmpdir(), `writ-${uid}`)];
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

export interface SlotOptions {
  readonly home: string;
  readonly root: string;
  readonly identity: Identity;
  readonly quota: LayerQuota;
  readonly random: Random;
}

export function makeSlot({ home, root, identity, quota, random }: SlotOptions): Slot {
  const folder = join(home, `slot-${Buffer.from(random.bytes(16)).toString("hex")}`);
  // By different names: one is a mount point, and is removed only when it is empty.
  const space = join(folder, quota === "memory" ? "space" : "layer");
  mkdirSync(folder, { mode: 0o710 });
  const slot: Slot = {
    folder,
    space,
    upper: join(space, "upper"),
    work: join(space, "work"),
    mask: join(folder, "mask"),
    merged: join(folder, "merged"),
    lower: join(folder, "lower"),
  };
  // The merged top folder takes its mode from the layers, so their top folders copy the workspace's mode.
  const mode = statSync(root).mode & 0o777;
  const inSpace = quota === "memory" ? [] : [slot.upper, slot.work];
  for (const each of [slot.space, ...inSpace, slot.mask, slot.merged, slot.lower]) {
    mkdirSync(each, { mode: 0o700 });
    chmodSync(each, mode);
  }
  if (identity.kind === "owner" || identity.kind === "shifted") {
    chownSync(folder, 0, identity.gid);
    for (const each of [slot.space, ...inSpace.slice(0, 1), slot.mask]) chownSync(each, identity.uid, identity.gid);
  }
  return slot;
}

/** The folders of a slot on which something was mounted, by their path below it. */
export function isSlotMountPoint(path: string): boolean {
  return path === "merged" || path === "lower" || path === "space" || /^bind-\d+$/.test(path);
}

/** Removes a slot whatever the turn left in it: folders without permissions, or nested deeper than the longest path. */
export async function dropSlot(slot: Pick<Slot, "folder">): Promise<void> {
  // What stays is tried again when the process ends, and by the next process; `writ doctor` names what still stays then.
  await removeTreeInSlices(slot.folder, { isMountPoint: isSlotMountPoint });
}
