import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own in an image file, so that a copy of the image is what a disk holds when the power goes. */
export interface PowerImage {
  /** Where the file system is mounted. */
  readonly folder: string;
  /** Copies the image as it is now, mounts the copy, and hands its folder over. */
  afterPowerLoss<T>(look: (folder: string) => Promise<T>): Promise<T>;
  remove(): void;
}

/** Whether images can be made here: it takes root and loop devices. */
export function canMountImages(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    powerImage().remove();
    return true;
  } catch {
    return false; // no loop devices, or no mkfs: the campaign machine has both
  }
}

export function powerImage(): PowerImage {
  const base = mkdtempSync(join(tmpdir(), "writ-power-"));
  const [image, folder] = [join(base, "disk.img"), join(base, "disk")];
  execFileSync("truncate", ["-s", "96M", image]);
  execFileSync("mkfs.ext4", ["-q", "-F", image]);
  mount(image, folder);
  return {
    folder,
    async afterPowerLoss(look) {
      const [copy, place] = [join(base, "copy.img"), join(base, "copy")];
      execFileSync("cp", ["--sparse=always", image, copy]);
      mount(copy, place);
      try {
        return await look(place);
      } finally {
        execFileSync("umount", ["-l", place]);
        rmSync(copy);
      }
    },
    remove() {
      execFileSync("umount", ["-l", folder]);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function mount(image: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync("mount", ["-o", "loop", image, folder], { stdio: ["ignore", "ignore", "pipe"] });
}
