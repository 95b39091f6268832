import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";

/** What a removal could not or would not remove, and why. */
export interface Left {
  readonly path: string;
  readonly why: string;
}

export interface RemoveOptions {
  /**
   * Folders of the tree that are or were mount points, by their path below it. They are removed only when empty: what a mount
   * that came undone, or never came about, leaves in such a folder belongs to an owner that is not known here.
   */
  readonly isMountPoint?: (path: string) => boolean;
}

/**
 * Removes a folder and what lies in it, on its own mount alone. Each folder is opened first and judged by its descriptor: its
 * mount id and its device must be those of the folder that holds the tree. A bind mount has the device of what it shows, so
 * the device alone says nothing; and a path may lead elsewhere by the time that it is used, which a descriptor does not. What
 * is mounted stays, with every folder above it. Links are unlinked, never followed. Nothing there is no error.
 */
export function removeTree(path: string, options: RemoveOptions = {}): readonly Left[] {
  const removal = new Removal(path, options);
  while (removal.step());
  return removal.left;
}

const entriesPerSlice = 500;

/** The same, with other work of the process in between. */
export async function removeTreeInSlices(path: string, options: RemoveOptions = {}): Promise<readonly Left[]> {
  const removal = new Removal(path, options);
  for (let count = 1; removal.step(); count += 1) if (count % entriesPerSlice === 0) await setImmediate();
  return removal.left;
}

/** Throws if anything stays, for callers that need an empty place. */
export function removeWholeTree(path: string): void {
  const [first, ...more] = removeTree(path);
  if (first)
    throw new Error(`${first.path} was not removed: ${first.why}${more.length > 0 ? ` (${more.length} more)` : ""}`);
}

interface Entry {
  readonly name: Buffer;
  /** Below the tree; empty for the tree itself. */
  readonly path: string;
}

/** A folder that is held open. Paths below its descriptor are short however deep it lies, and lead nowhere else. */
interface Held {
  readonly fd: number;
  readonly at: Buffer;
  readonly mount: string;
  readonly entry: Entry;
  readonly pending: Entry[];
}

const isLinux = process.platform === "linux";
/** O_PATH, which Node does not name: opens a folder that may be neither listed nor entered. */
const pathOnly = 0o10000000;
const folderFlags = constants.O_DIRECTORY | (isLinux ? pathOnly : constants.O_RDONLY);
/** Each held folder is an open descriptor; a tree that is nested deeper is taken apart below its top folder. */
const mostHeld = 64;

const reasons: Readonly<Record<string, string>> = {
  EBUSY: "something is mounted there",
  ENOTEMPTY: "it is not empty",
  ENOTDIR: "a link or a file has taken its place",
};

class Removal {
  readonly left: Left[] = [];
  private readonly target: string;
  private readonly options: RemoveOptions;
  private readonly stack: Held[] = [];
  private moved = 0;

  constructor(target: string, options: RemoveOptions) {
    this.options = options;
    this.target = resolve(target);
    const folder = this.tried("", () => openSync(dirname(this.target), folderFlags));
    if (folder === undefined) return;
    const name = Buffer.from(basename(this.target));
    const at = placeOf(folder, Buffer.from(dirname(this.target)));
    this.stack.push({
      fd: folder,
      at,
      mount: mountOf(folder),
      entry: { name, path: "" },
      pending: [{ name, path: "" }],
    });
  }

  /** Removes one entry, or leaves a folder that was emptied; false when nothing is left to do. */
  step(): boolean {
    const held = this.stack.at(-1);
    if (held === undefined) return false;
    const next = held.pending.pop();
    if (next) this.remove(held, next);
    else this.leave();
    return true;
  }

  private remove(folder: Held, entry: Entry): void {
    const at = below(folder, entry.name);
    const stat = this.tried(entry.path, () => lstatSync(at));
    if (stat === undefined) return;
    if (!stat.isDirectory()) this.tried(entry.path, () => unlinkSync(at));
    else if (entry.path !== "" && this.options.isMountPoint?.(entry.path)) this.tried(entry.path, () => rmdirSync(at));
    else this.enter(folder, entry, at);
  }

  private enter(folder: Held, entry: Entry, at: Buffer): void {
    const fd = this.tried(entry.path, () => openSync(at, folderFlags | constants.O_NOFOLLOW));
    if (fd === undefined) return;
    const place = placeOf(fd, at);
    const mount = mountOf(fd);
    const top = this.stack[1];
    if (mount === folder.mount) this.tried(entry.path, () => giveBackPermissions(fd, place));
    if (mount !== folder.mount) this.keep(entry.path, "something else is mounted there");
    else if (top && this.stack.length > mostHeld) {
      const name = Buffer.from(`.writ-removed-${this.moved++}`);
      if (this.tried(entry.path, () => renameSync(at, below(top, name)) ?? true)) top.pending.push({ ...entry, name });
    } else {
      const names = this.tried(entry.path, () => readdirSync(place, { encoding: "buffer" }));
      const pathOf = (name: Buffer) => (entry.path === "" ? name.toString() : `${entry.path}/${name.toString()}`);
      const pending = (names ?? []).map((name): Entry => ({ name, path: pathOf(name) }));
      this.stack.push({ fd, at: place, mount, entry, pending });
      return;
    }
    closeSync(fd);
  }

  /** Everything in the top folder of the stack was looked at: it goes too, unless something in it stayed. */
  private leave(): void {
    const done = this.stack.pop();
    if (done === undefined) return;
    closeSync(done.fd);
    const folder = this.stack.at(-1);
    if (folder) this.tried(done.entry.path, () => rmdirSync(below(folder, done.entry.name)));
  }

  private keep(path: string, why: string): void {
    this.left.push({ path: this.fullPath(path), why });
  }

  private fullPath(path: string): string {
    return path === "" ? this.target : `${this.target}/${path}`;
  }

  private tried<T>(path: string, act: () => T): T | undefined {
    try {
      return act();
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      if (code === "ENOENT") return undefined; // gone already, which is what was asked for
      const full = this.fullPath(path);
      if (code === "ENOTEMPTY" && this.left.some((each) => each.path.startsWith(`${full}/`))) return undefined; // reported already
      this.keep(path, (code === undefined ? undefined : reasons[code]) ?? message);
      return undefined;
    }
  }
}

function below({ at }: Held, name: Buffer): Buffer {
  return Buffer.concat([at, Buffer.from("/"), name]);
}

/** Where a held folder is reached: by its descriptor where the system shows those as paths. */
function placeOf(fd: number, path: Buffer): Buffer {
  return isLinux ? Buffer.from(`/proc/self/fd/${fd}`) : path;
}

/** The mount and the device that an open folder lies on. Other systems than Linux have no bind mounts: the device tells. */
function mountOf(fd: number): string {
  const { dev } = fstatSync(fd, { bigint: true });
  if (!isLinux) return String(dev);
  const id = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
  if (id === undefined) throw new Error("the kernel does not say what an open folder is mounted on");
  return `${id} ${dev}`;
}

const ownerMayAll = 0o700;

/** A program may have taken them from a folder of its own, and then nothing in it could be removed. */
function giveBackPermissions(fd: number, at: Buffer): void {
  if ((fstatSync(fd).mode & ownerMayAll) !== ownerMayAll) chmodSync(at, ownerMayAll);
}
