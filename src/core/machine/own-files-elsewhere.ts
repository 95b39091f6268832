import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { homeFolder } from "./account.ts";

/** Shown to every sandbox as it is. */
const ofTheMachine = /^\/(?:usr|bin|sbin|lib|lib32|lib64|libx32)(?:\/|$)/;

/**
 * What belongs to a program that lies outside the workspace: the file itself, and where it is part of an npm package or of a
 * Python environment, that package with what is installed beside it. Nothing for what is not there.
 */
export function ownFilesElsewhere(path: string): readonly string[] {
  const found = new Set<string>();
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (!stat.isFile() && !stat.isDirectory())) return [];
  if (stat.isDirectory() && packageOf(path) === undefined) return []; // a folder among its arguments is data
  for (const each of [path, realpathSync(path)]) {
    if (ofTheMachine.test(each)) continue;
    found.add(packageOf(each) ?? environmentOf(each) ?? each);
  }
  return [...found];
}

/** The outermost `node_modules` that holds it, else the nearest folder with a package.json. */
function packageOf(path: string): string | undefined {
  const outermost = /^(.*?\/node_modules)(?:\/|$)/.exec(path)?.[1];
  if (outermost !== undefined) return outermost;
  // A package.json in a user's home folder makes no package of all that lies there.
  const home = homeFolder();
  for (let folder = dirname(path); dirname(folder) !== folder; folder = dirname(folder)) {
    if (home !== undefined && `${home}/`.startsWith(`${folder}/`)) return undefined;
    if (statSync(join(folder, "package.json"), { throwIfNoEntry: false })?.isFile()) return folder;
  }
  return undefined;
}

function environmentOf(path: string): string | undefined {
  const folder = dirname(dirname(path));
  return statSync(join(folder, "pyvenv.cfg"), { throwIfNoEntry: false })?.isFile() ? folder : undefined;
}
