import { canonicalJson, type Files, type Sha256, sha256 } from "#core/values";
import { isProtectedPath } from "../paths/protected-paths.ts";
import { inside } from "./inside-workspace.ts";

const mostFiles = 64;
const maxBytes = 4 * 1024 * 1024;

/**
 * What a session pins of a command: its text and the bytes of every workspace file that the text names, so that a script
 * exchanged under the same name shows. A program from elsewhere on the machine is pinned by its name alone.
 */
export async function commandHash(files: Files, root: string, command: string): Promise<Sha256> {
  return sha256(canonicalJson({ type: "command", command, files: await commandFiles(files, root, command) }));
}

/** By the word that names them. */
async function commandFiles(files: Files, root: string, command: string): Promise<Record<string, Sha256>> {
  const contents: Record<string, Sha256> = {};
  for (const word of new Set(wordsOf(root, command))) {
    const path = inside(root, word);
    if (path === undefined || Object.keys(contents).length >= mostFiles) continue;
    const text = await readIfFile(files, path);
    if (text !== undefined) contents[word] = sha256(text);
  }
  return contents;
}

function wordsOf(root: string, command: string): readonly string[] {
  return command
    .replaceAll(/\$\{?(CLAUDE_PROJECT_DIR|WRIT_ROOT)\}?/g, root)
    .split(/[\s"'`;|&()<>=]+/)
    .filter((word) => word !== "");
}

/**
 * A file that the command runs or reads and that an agent with the right grants could write: it would be law, and code
 * outside every sandbox, in the next session. The program itself counts before it exists.
 */
export async function writableOfCommand(files: Files, root: string, command: string): Promise<string | undefined> {
  const program = wordsOf(root, command)[0];
  const named = Object.keys(await commandFiles(files, root, command));
  const paths = [...(program?.includes("/") ? [program] : []), ...named].flatMap((word) => inside(root, word) ?? []);
  return firstWritable(root, paths);
}

/** The same for a module and what it imports. */
export async function writableOfModule(files: Files, root: string, path: string): Promise<string | undefined> {
  return firstWritable(root, Object.keys(await moduleFiles(files, root, path)));
}

function firstWritable(root: string, paths: readonly string[]): string | undefined {
  return paths.map((path) => path.slice(root.length + 1)).find((path) => !isProtectedPath(path));
}

const relativeImport = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

/** What a session pins of a module: its text and, one after the other, the files that it imports by relative path. */
export async function moduleHash(files: Files, root: string, path: string): Promise<Sha256> {
  const relative = Object.fromEntries(
    Object.entries(await moduleFiles(files, root, path)).map(([name, hash]) => [name.slice(root.length + 1), hash]),
  );
  return sha256(canonicalJson({ type: "module", files: relative }));
}

/** By absolute path. */
async function moduleFiles(files: Files, root: string, path: string): Promise<Record<string, Sha256>> {
  const contents: Record<string, Sha256> = {};
  const queue = [path];
  while (queue.length > 0 && Object.keys(contents).length < mostFiles) {
    const current = queue.shift();
    if (current === undefined || current in contents) continue;
    const text = await readIfFile(files, current);
    contents[current] = text === undefined ? "absent" : sha256(text);
    const folder = current.slice(0, current.lastIndexOf("/"));
    for (const [, specifier = ""] of (text ?? "").matchAll(relativeImport)) {
      const found = inside(root, `${folder}/${specifier}`);
      if (found !== undefined) queue.push(found);
    }
  }
  return contents;
}

async function readIfFile(files: Files, path: string): Promise<string | undefined> {
  const stat = await files.stat(path);
  if (!stat.ok || (stat.value?.type !== "file" && stat.value?.type !== "link")) return undefined;
  const read = await files.readText(path, { maxBytes });
  return read.ok ? read.value : `unreadable, ${stat.value.size} bytes`;
}
