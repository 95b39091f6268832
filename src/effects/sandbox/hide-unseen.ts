import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { unlessGone } from "../turns/files/unless-gone.ts";
import { type FileView, workspaceView } from "../turns/layer/file-view.ts";
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
 * What the order has written before lies in the mask too, over the workspace's own files.
 * Returns the hidden paths; everything below them is hidden too.
 */
export function hideUnseen(options: {
  readonly root: string;
  /** The workspace with what the order has written; the workspace alone by default. */
  readonly view?: FileView;
  readonly mask: string;
  readonly whiteout: string;
  readonly identity: Identity;
  readonly visibility: Visibility;
  /** Files with secrets, which no turn may read. */
  readonly secrets: SecretIndex;
}): ReadonlySet<string> {
  const { root, mask, visibility, view = workspaceView(options.root) } = options;
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
    const stat = unlessGone(() => lstatSync(view.at(path)));
    if (!stat?.isDirectory()) {
      hide(path);
      return false;
    }
    mkdirSync(join(mask, path));
    ownLike(join(mask, path), stat, options.identity);
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
  const deleted = new Set<string>();
  const isUnder = (paths: ReadonlySet<string>, path: string) => foldersAbove(path).some((above) => paths.has(above));
  for (const path of view.changed) {
    if (hidden.has(path) || isUnder(hidden, path) || isUnder(deleted, path)) continue;
    const stat = lstatSync(view.at(path), { throwIfNoEntry: false });
    if (stat === undefined) {
      deleted.add(path);
      if (existsSync(join(root, path)) && foldersAbove(path).every(cover)) linkSync(options.whiteout, join(mask, path));
    } else if (stat.isDirectory()) {
      if (visibility.visibilityBelow(path) !== "none" && foldersAbove(path).every(cover)) cover(path);
    } else if (visibility.isVisible(path) && foldersAbove(path).every(cover)) {
      copyFileSync(view.at(path), join(mask, path), constants.COPYFILE_FICLONE);
      ownLike(join(mask, path), stat, options.identity);
    }
  }
  return hidden;
}

/** An entry of the mask is seen in place of the one that it stands for, so it has its owner and mode. */
function ownLike(path: string, { uid, gid, mode }: Stats, identity: Identity): void {
  if (identity.kind === "owner") chownSync(path, uid, gid);
  // Inside an id-mapped view root's files belong to the turn's id; those of other users belong to the overflow id.
  if (identity.kind === "shifted" && uid === 0) chownSync(path, identity.uid, identity.gid);
  chmodSync(path, mode & 0o7777);
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

/**
 * The one whiteout that all masks link to. In an overlay a character device 0/0 means "not there"; since Linux 5.8 any user
 * may create one, but Node has no call for it.
 */
export function whiteoutIn(home: string, mknod: string, withinMs: number): string | undefined {
  const path = join(home, "whiteout");
  const limit = { timeout: withinMs, killSignal: "SIGKILL" } as const;
  if (!existsSync(path)) spawnSync(mknod, [path, "c", "0", "0"], { env: {}, stdio: "ignore", ...limit });
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isCharacterDevice() && stat.rdev === 0 ? path : undefined;
}
