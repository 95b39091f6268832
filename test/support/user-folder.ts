import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Before any test: what Writ remembers for its user goes where the run of the tests leaves nothing behind. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "writ-user-"));
  process.env["XDG_CONFIG_HOME"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
