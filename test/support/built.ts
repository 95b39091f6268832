import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** Brings dist/ up to date, for tests whose children run from it. After `npm run build` there is nothing to do. */
export function built(): void {
  if (isFresh()) return;
  const said = ["generate.mjs", "bundle.mjs"].map((script) => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts", script)], {
      cwd: root,
      encoding: "utf8",
    });
    return stdout + stderr;
  });
  if (!isFresh()) throw new Error(`dist/ could not be built: ${said.join("")}`);
}

function isFresh(): boolean {
  return newest(join(root, "dist"), ".js") >= newest(join(root, "src"), ".ts");
}

function newest(folder: string, ending: string): number {
  if (!existsSync(folder)) return -1;
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(ending) && !/\.(test|case)\.ts$/.test(file),
  );
  return Math.max(-1, ...files.map((file) => statSync(join(folder, file)).mtimeMs));
}
