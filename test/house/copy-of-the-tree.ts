import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Types that are generated from the contracts, and not committed. */
export const generatedTypes = "src/core/contracts/generated";

/** Everything of the kind: rules over values come from their documents. */
const generated = [generatedTypes, "src/governance/values/generated"];

/** A throw-away copy of this repository, so that a planted fault breaks nothing else. */
export interface TreeCopy {
  readonly folder: string;
  read(file: string): string;
  write(file: string, text: string): void;
  remove(file: string): void;
  /** Runs some steps of the check. */
  check(...steps: string[]): { readonly status: number | null; readonly output: string };
  /** The same, as a person starts it. */
  checkByNpm(...steps: string[]): { readonly status: number | null; readonly output: string };
  /** What the compiler says about these files and all that they import. */
  compile(...files: string[]): string;
  drop(): void;
}

export function copyOfTheTree(): TreeCopy {
  const folder = mkdtempSync(join(tmpdir(), "writ-house-"));
  const listed = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of listed.stdout.split("\n").filter((name) => name !== "" && name !== "node_modules")) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const each of generated) cpSync(join(root, each), join(folder, each), { recursive: true });
  spawnSync("git", ["init", "--quiet"], { cwd: folder });
  const run = (program: string, args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
    return { status, output: stripVTControlCharacters(stdout + stderr) }; // some tools colour whatever they say
  };
  return {
    folder,
    read: (file) => readFileSync(join(folder, file), "utf8"),
    write: (file, text) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    },
    remove: (file) => rmSync(join(folder, file), { recursive: true }),
    check: (...steps) => run(process.execPath, ["scripts/check.mjs", ...steps]),
    checkByNpm: (...steps) => run("npm", ["run", "--silent", "check", "--", ...steps]),
    compile: (...files) => {
      const settings = { extends: "./tsconfig.json", include: [], files };
      writeFileSync(join(folder, "tsconfig.planted.json"), JSON.stringify(settings));
      return run(join(root, "node_modules", ".bin", "tsc"), ["--noEmit", "-p", "tsconfig.planted.json"]).output;
    },
    drop: () => rmSync(folder, { recursive: true, force: true }),
  };
}
