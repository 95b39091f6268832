import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { unlessGone } from "../turns/files/unless-gone.ts";
import type { Identity } from "./identity.ts";
import type { SecretIndex } from "./secret-index.ts";

/** Decides which paths a turn may see, without reading the disk. */
export interface Visibility {
  isVisible(path: string): boolean;
  visibilityBelow(folder: string): "all" | "none" | "mixed";
}

/**
 * Fills the mask layer: a whiteout for each name that the turn may not see. Only folders that the patterns neither show nor
 * hide as a whole are listed for each turn; in folders that are shown whole, only secrets are looked up, from an index.
 * Returns the hidden paths; everything below them is hidden too.
 */
export function hideUnseen(options: {
  readonly root: string;
  readonly mask: string;
  readonly whiteout: string;
  readonly identity: Identity;
  readonly visibility: Visibility;
  /** Files with secrets, which no turn may read. */
  readonly secrets: SecretIndex;
}): ReadonlySet<string> {
  const { root, mask, visibility } = options;
  const hidden = new Set<string>();
  const hide = (path: string) => {
    linkSync(options.whiteout, join(mask, path));
    hidden.add(path);
  };
  const covered = new Set<string>();
  // The merged folder gets its mode and its owner from the mask. A folder that was removed meanwhile is hidden: should it come
  // back before the turn begins, its contents have not been checked.
  const cover = (path: string): boolean => {
    if (covered.has(path)) return true;
    if (hidden.has(path)) return false;
    const stat = unlessGone(() => lstatSync(join(root, path)));
    if (!stat?.isDirectory()) {
      hide(path);
      return false;
    }
    const { mode, uid, gid } = stat;
    mkdirSync(join(mask, path));
    const { kind } = options.identity;
    if (kind === "owner") chownSync(join(mask, path), uid, gid);
    // Inside an id-mapped view root's folders belong to the turn's id; those of other users belong to the overflow id.
    if (kind === "shifted" && uid === 0) chownSync(join(mask, path), options.identity.uid, options.identity.gid);
    chmodSync(join(mask, path), mode & 0o7777);
    covered.add(path);
    return true;
  };
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = unlessGone(() => readdirSync(join(root, folder), { withFileTypes: true }));
    if (entries === undefined) {
      rmdirSync(join(mask, folder));
      hide(folder);
    }
    for (const entry of entries ?? []) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) {
        if (!visibility.isVisible(path)) hide(path);
        continue;
      }
      const below = visibility.visibilityBelow(path);
      if (below === "none") hide(path);
      if (below === "all")
        for (const secret of options.secrets.below(path)) if (foldersAbove(secret).every(cover)) hide(secret);
      if (below === "mixed" && cover(path)) folders.push(path);
    }
  }
  return hidden;
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

/**
 * The one whiteout that all masks link to. In an overlay a character device 0/0 means "not there"; since Linux 5.8 any user
 * may create one, but Node has no call for it.
 */
export function whiteoutIn(home: string): string | undefined {
  const path = join(home, "whiteout");
  if (!existsSync(path)) spawnSync("mknod", [path, "c", "0", "0"], { env: { PATH: "/usr/bin:/bin" }, stdio: "ignore" });
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isCharacterDevice() && stat.rdev === 0 ? path : undefined;
}
