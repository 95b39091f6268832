import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** What decides about seeing, without looking at the disk. */
export interface Visibility {
  isVisible(path: string): boolean;
  visibilityBelow(folder: string): "all" | "none" | "mixed";
}

/**
 * Fills the mask layer: a whiteout for each name that the turn may not see. Only folders about which the patterns say
 * neither "all" nor "none" are listed, so the cost depends on the patterns and not on what lies in the workspace. Answers what was hidden; what lies below is hidden with it.
 */
export function hideUnseen(options: {
  readonly root: string;
  readonly mask: string;
  readonly whiteout: string;
  readonly visibility: Visibility;
}): ReadonlySet<string> {
  const { root, mask, visibility } = options;
  const hidden = new Set<string>();
  const hide = (path: string) => {
    linkSync(options.whiteout, join(mask, path));
    hidden.add(path);
  };
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) {
        if (!visibility.isVisible(path)) hide(path);
        continue;
      }
      const below = visibility.visibilityBelow(path);
      if (below === "none") hide(path);
      if (below !== "mixed") continue;
      // A folder of the mask lends its mode to the merged one.
      mkdirSync(join(mask, path));
      chmodSync(join(mask, path), lstatSync(join(root, path)).mode & 0o7777);
      folders.push(path);
    }
  }
  return hidden;
}

/**
 * The one whiteout that all masks link to. An overlay takes a character device 0/0 for "not there"; since Linux 5.8 anyone
 * may make one, but Node has no call for it.
 */
export function whiteoutIn(home: string): string | undefined {
  const path = join(home, "whiteout");
  if (!existsSync(path)) spawnSync("mknod", [path, "c", "0", "0"], { env: { PATH: "/usr/bin:/bin" }, stdio: "ignore" });
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isCharacterDevice() && stat.rdev === 0 ? path : undefined;
}
