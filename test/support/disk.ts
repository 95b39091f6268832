import { type Disk, realDisk } from "#log";

/** The real disk with a say in its writes and syncs, and a count of them. */
export interface FaultyDisk extends Disk {
  /** Bytes that are still free; undefined: as many as the real one has. */
  room: number | undefined;
  /** Thrown by the next syncs. */
  syncError: Error | undefined;
  /** Files whose path ends so are full when nothing else is. */
  fullFile: string | undefined;
  syncs: number;
}

export function faultyDisk(): FaultyDisk {
  const paths = new Map<number, string>();
  const full = () => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  const allowed = (fd: number, bytes: Uint8Array): Uint8Array => {
    if (disk.fullFile !== undefined && paths.get(fd)?.endsWith(disk.fullFile)) throw full();
    if (disk.room === undefined) return bytes;
    if (disk.room === 0) throw full();
    const part = bytes.subarray(0, disk.room); // a full disk takes what fits and fails at the next call
    disk.room -= part.length;
    return part;
  };
  const disk: FaultyDisk = {
    ...realDisk,
    room: undefined,
    syncError: undefined,
    fullFile: undefined,
    syncs: 0,
    open: (path, how) => {
      const fd = realDisk.open(path, how);
      paths.set(fd, path);
      return fd;
    },
    write: (fd, bytes, position) => realDisk.write(fd, allowed(fd, bytes), position),
    writeAside: (fd, bytes, position) =>
      new Promise((resolve) => resolve(allowed(fd, bytes))).then((part) =>
        realDisk.writeAside(fd, part as Uint8Array, position),
      ),
    sync: (fd) => {
      disk.syncs += 1;
      return disk.syncError ? Promise.reject(disk.syncError) : realDisk.sync(fd);
    },
  };
  return disk;
}
