import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Before any test: what Writ remembers for its user goes where the run of the tests leaves nothing behind. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "writ-user-"));
  process.env["XDG_CONFIG_HOME"] = folder;
  process.env["WRIT_TRUST"] = "own"; // tests edit the configurations of workspaces that they made
  return () => rmSync(folder, { recursive: true, force: true });
}
