import { readdirSync, readFileSync } from "node:fs";

const closeOnExec = 0o2000000;

/**
 * Descriptors above 2 that a child of this process would inherit by accident. Node marks its own close-on-exec; one that
 * the caller of Writ left open is not, and it was the only escape left of sixty. The child gets /dev/null in its place.
 */
export function strayDescriptors(): ReadonlySet<number> {
  const stray = new Set<number>();
  for (const name of readdirSync("/proc/self/fd")) {
    if (Number(name) <= 2) continue;
    try {
      const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, "utf8"))?.[1] ?? "0";
      if ((Number.parseInt(flags, 8) & closeOnExec) === 0) stray.add(Number(name));
    } catch {
      // The descriptor of the listing itself is gone by now.
    }
  }
  return stray;
}
