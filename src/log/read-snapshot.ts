import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The bytes of a session's `snapshot.json`; empty where it cannot be read. It is never needed, so nothing fails for its sake. */
export function readSnapshot(folder: string): string | undefined {
  const file = join(folder, "snapshot.json");
  if (!existsSync(file)) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // a folder in its place, rights that are missing, more than a text can hold
  }
}
