import { readFileSync, statSync } from "node:fs";

/**
 * The process that holds a lock on this file, where the machine reports it (Linux does); for the message after a
 * timeout.
 */
export function lockHolder(file: string): number | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    const holders = readFileSync("/proc/locks", "utf8").matchAll(held);
    for (const [, pid, major, minor, inode] of holders)
      if (BigInt(inode ?? "") === ino && deviceOf(major, minor) === dev) return Number(pid) || undefined; // 0: a process outside this namespace
  } catch {} // the message leaves the pid out
  return undefined;
}

const held = /POSIX +ADVISORY +WRITE +(\d+) +([0-9a-f]+):([0-9a-f]+):(\d+) /g;

/** Combines the two numbers as `stat` does. */
function deviceOf(major = "", minor = ""): bigint {
  const [high, low] = [BigInt(`0x${major}`), BigInt(`0x${minor}`)];
  return ((high & 0xfffn) << 8n) | (low & 0xffn) | ((low & ~0xffn) << 12n) | ((high & ~0xfffn) << 32n);
}
