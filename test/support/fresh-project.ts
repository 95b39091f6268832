import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { repository } from "./writ.ts";

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
export const run = promisify(execFile);
const modules = `${repository}node_modules`;

/** Writ as `npm pack` makes it, beside what an installation of it and of these packages brings; answers the folder of modules. */
export async function packedModules(further: readonly string[]): Promise<string> {
  const folder = join(mkdtempSync(join(tmpdir(), "writ-packed-")), "node_modules");
  const own = join(folder, "writ");
  mkdirSync(own, { recursive: true });
  const packed = await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
    cwd: repository,
  });
  await run("tar", ["-xzf", join(folder, packed.stdout.trim()), "-C", own, "--strip-components=1"]);
  const { dependencies } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as Required<Locked>;
  for (const name of installed([...Object.keys(dependencies), ...further])) {
    const place = join(folder, name);
    mkdirSync(dirname(place), { recursive: true });
    if (existsSync(join(modules, name))) symlinkSync(join(modules, name), place);
  }
  return folder;
}

/** What an installation of these packages brings, by the lock: nothing else of the repository is in reach. */
function installed(names: readonly string[]): ReadonlySet<string> {
  const { packages } = JSON.parse(readFileSync(`${repository}package-lock.json`, "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const found = new Set<string>();
  const add = (name: string) => {
    const locked = packages[`node_modules/${name}`];
    if (!locked || found.has(name)) return;
    found.add(name);
    for (const each of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })) add(each);
  };
  names.forEach(add);
  return found;
}

/** Compiles a project with the compiler that it has; answers what the compiler says. */
export async function compile(project: string): Promise<string> {
  const compiler = join(project, "node_modules", "typescript", "bin", "tsc");
  const failed = (error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? String(error) });
  return (await run(process.execPath, [compiler], { cwd: project }).catch(failed)).stdout;
}

/** From here on nothing but what was compiled can be read. */
export function forgetSettings(project: string): void {
  writeFileSync(join(project, "tsconfig.json"), "");
}
