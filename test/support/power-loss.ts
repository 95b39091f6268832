import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Disk, realDisk } from "#log";

/** One call that reached the disk's cache, or that made something in it last. Paths are relative to the workspace. */
export type DiskStep =
  | { readonly kind: "create"; readonly path: string }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "write"; readonly path: string; readonly position: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly path: string; readonly length: number }
  | { readonly kind: "remove"; readonly path: string }
  /** `fdatasync`: what the file had when it began (before step `covers`) lasts. */
  | { readonly kind: "sync"; readonly path: string; readonly covers: number }
  /** `fsync` of a folder: the names that it had then last. */
  | { readonly kind: "syncFolder"; readonly path: string; readonly covers: number }
  /** What the writer said by then. */
  | { readonly kind: "ack"; readonly session_id: string; readonly seq: number; readonly hash: string };

/** The real disk, noting in order what is written and what is synced. */
export function recordingDisk(root: string): { readonly disk: Disk; readonly steps: DiskStep[] } {
  const steps: DiskStep[] = [];
  const open = new Map<number, string>();
  const place = (path: string) => relative(root, path);
  const pathOf = (fd: number) => open.get(fd) ?? "";
  const disk: Disk = {
    ...realDisk,
    open(path, how) {
      const fd = realDisk.open(path, how);
      open.set(fd, place(path));
      if (how !== "write") steps.push({ kind: "create", path: place(path) });
      return fd;
    },
    close(fd) {
      open.delete(fd);
      realDisk.close(fd);
    },
    write(fd, bytes, position) {
      const count = realDisk.write(fd, bytes, position);
      steps.push({ kind: "write", path: pathOf(fd), position, bytes: Buffer.from(bytes.subarray(0, count)) });
      return count;
    },
    async writeAside(fd, bytes, position) {
      const count = await realDisk.writeAside(fd, bytes, position);
      steps.push({ kind: "write", path: pathOf(fd), position, bytes: Buffer.from(bytes.subarray(0, count)) });
      return count;
    },
    truncate(fd, length) {
      realDisk.truncate(fd, length);
      steps.push({ kind: "truncate", path: pathOf(fd), length });
    },
    async sync(fd) {
      const [path, covers] = [pathOf(fd), steps.length];
      await realDisk.sync(fd);
      steps.push({ kind: "sync", path, covers });
    },
    async syncFolder(path) {
      const covers = steps.length;
      await realDisk.syncFolder(path);
      steps.push({ kind: "syncFolder", path: place(path), covers });
    },
    makeFolder(path) {
      const made = realDisk.makeFolder(path);
      if (made !== undefined)
        for (let each = path; each.length >= made.length; each = dirname(each))
          steps.push({ kind: "folder", path: place(each) });
      return made;
    },
    remove(path) {
      realDisk.remove(path);
      steps.push({ kind: "remove", path: place(path) });
    },
  };
  return { disk, steps };
}

/** Which of the calls that no sync covers reached the disk before the power went: the kernel writes in any order it likes. */
export type Luck = (step: number) => "whole" | "part" | "lost";

interface Content {
  /** What a sync made last, and what came after it. */
  durable: Buffer;
  readonly pending: { readonly step: number; apply(content: Buffer): Buffer }[];
}

/**
 * The workspace as it may be found after the power went before step `cut`. What was synced is there; of what was not, each
 * call is there whole, in part or not at all, as luck has it. A name lasts once its folder was synced after it was made; until then it
 * is a matter of luck too. A removed file may come back as long as its folder was not synced since.
 */
export function imageAfterCut(steps: readonly DiskStep[], cut: number, luck: Luck): ReadonlyMap<string, Buffer> {
  const contents = new Map<string, Content>();
  const names = new Map<string, { last: boolean; madeAt: number; removedAt: number | undefined }>();
  const contentOf = (path: string): Content => {
    const known = contents.get(path) ?? { durable: Buffer.alloc(0), pending: [] };
    contents.set(path, known);
    return known;
  };
  for (const [index, step] of steps.slice(0, cut).entries()) {
    switch (step.kind) {
      case "create":
      case "folder": {
        const known = names.get(step.path);
        if (!known || known.removedAt !== undefined)
          names.set(step.path, { last: false, madeAt: index, removedAt: undefined });
        break;
      }
      case "write":
        contentOf(step.path).pending.push({ step: index, apply: (content) => overwrite(content, step) });
        break;
      case "truncate":
        contentOf(step.path).pending.push({ step: index, apply: (content) => resized(content, step.length) });
        break;
      case "sync": {
        const content = contentOf(step.path);
        const covered = content.pending.filter(({ step: made }) => made < step.covers).length;
        for (const { apply } of content.pending.splice(0, covered)) content.durable = apply(content.durable);
        break;
      }
      case "syncFolder":
        for (const [path, name] of names) {
          if (dirname(path) !== (step.path === "" ? "." : step.path)) continue;
          if (name.removedAt !== undefined && name.removedAt < step.covers) names.delete(path);
          else if (name.madeAt < step.covers) name.last = true;
        }
        break;
      case "remove":
        for (const [path, name] of names)
          if (path === step.path || path.startsWith(`${step.path}/`)) name.removedAt = index;
        break;
      case "ack":
        break;
    }
  }
  const isThere = (path: string): boolean => {
    for (let each = path; each !== "."; each = dirname(each)) {
      const name = names.get(each);
      if (!name) continue; // was there before the recording began
      const reached = name.last || luck(name.madeAt) !== "lost";
      if (!reached || (name.removedAt !== undefined && luck(name.removedAt) !== "lost")) return false;
    }
    return names.has(path);
  };
  const image = new Map<string, Buffer>();
  for (const [path, { durable, pending }] of contents) {
    if (!isThere(path)) continue;
    let content = durable;
    for (const { step, apply } of pending) {
      const fate = luck(step);
      if (fate === "lost") continue;
      content = fate === "whole" ? apply(content) : partly(content, apply(content));
    }
    image.set(path, content);
  }
  return image;
}

/** Pages of 4 kB reach the disk one by one: the even ones did, and the file's length is what it was or what it became. */
function partly(before: Buffer, after: Buffer): Buffer {
  const page = 4096;
  const mixed = Buffer.alloc(after.length);
  for (let at = 0; at < after.length; at += page) {
    const source = (at / page) % 2 === 0 ? after : before;
    if (at < source.length) source.copy(mixed, at, at, Math.min(at + page, source.length));
  }
  return mixed;
}

function overwrite(
  content: Buffer,
  { position, bytes }: { readonly position: number; readonly bytes: Buffer },
): Buffer {
  const grown = resized(content, Math.max(content.length, position + bytes.length));
  bytes.copy(grown, position);
  return grown;
}

function resized(content: Buffer, length: number): Buffer {
  const next = Buffer.alloc(length);
  content.copy(next, 0, 0, Math.min(content.length, length));
  return next;
}

export function writeImage(image: ReadonlyMap<string, Buffer>, root: string): void {
  for (const [path, content] of image) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}
