// The program of the README, from what `npm pack` makes, in a project that holds nothing else: strict, every declaration checked.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { built } from "../support/built.ts";
import { repository } from "../support/writ.ts";

built();

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const run = promisify(execFile);
const modules = `${repository}node_modules`;

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

async function freshProject(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "writ-packed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = join(folder, "node_modules", "writ");
  mkdirSync(own, { recursive: true });
  const packed = await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
    cwd: repository,
  });
  await run("tar", ["-xzf", join(folder, packed.stdout.trim()), "-C", own, "--strip-components=1"]);
  const { dependencies } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as Required<Locked>;
  for (const name of installed([...Object.keys(dependencies), "zod", "typescript", "@types/node"])) {
    const place = join(folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    if (existsSync(join(modules, name))) symlinkSync(join(modules, name), place);
  }
  cpSync(join(repository, "examples", "agent"), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `{ "private": true, "type": "module" }`);
  return folder;
}

test("the first program compiles and runs, strict, from the packed package in a fresh project", async () => {
  const folder = await freshProject();
  const compiled = run(process.execPath, [join(folder, "node_modules", "typescript", "bin", "tsc")], { cwd: folder });
  expect(await compiled.catch((failed: { stdout: string }) => failed.stdout)).toMatchObject({ stdout: "" });
  writeFileSync(join(folder, "tsconfig.json"), ""); // nothing but the compiled program and the package is read from here on
  const ran = await run(process.execPath, ["agent.js"], { cwd: folder });
  expect(ran).toEqual({ stdout: expect.stringContaining("sun over Oslo"), stderr: "" });
});
