import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The bytes of a session's `snapshot.json`; empty where it cannot be read. The snapshot is never required, so its
 * absence fails nothing.
 */
export function readSnapshot(folder: string): string | undefined {
  const file = join(folder, "snapshot.json");
  if (!existsSync(file)) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // a folder of that name, missing permissions, or more than a string can hold
  }
}
