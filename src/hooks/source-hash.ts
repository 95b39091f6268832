import { canonicalJson, type Files, type Sha256, sha256 } from "#base";
import { inside } from "./workspace-path.ts";

const mostFiles = 64;
const maxBytes = 4 * 1024 * 1024;

/**
 * What a session pins of a command: its text and the bytes of every workspace file that the text names, so that a script
 * exchanged under the same name shows. A program from elsewhere on the machine is pinned by its name alone.
 */
export async function commandHash(files: Files, root: string, command: string): Promise<Sha256> {
  const words = command
    .replaceAll(/\$\{?(CLAUDE_PROJECT_DIR|WRIT_ROOT)\}?/g, root)
    .split(/[\s"'`;|&()<>=]+/)
    .filter((word) => word !== "");
  const contents: Record<string, Sha256> = {};
  for (const word of new Set(words)) {
    const path = inside(root, word);
    if (path === undefined || Object.keys(contents).length >= mostFiles) continue;
    const text = await readIfFile(files, path);
    if (text !== undefined) contents[word] = sha256(text);
  }
  return sha256(canonicalJson({ type: "command", command, files: contents }));
}

const relativeImport = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

/** What a session pins of a module: its text and, one after the other, the files that it imports by relative path. */
export async function moduleHash(files: Files, root: string, path: string): Promise<Sha256> {
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
  const relative = Object.fromEntries(
    Object.entries(contents).map(([name, hash]) => [name.slice(root.length + 1), hash]),
  );
  return sha256(canonicalJson({ type: "module", files: relative }));
}

async function readIfFile(files: Files, path: string): Promise<string | undefined> {
  const stat = await files.stat(path);
  if (!stat.ok || (stat.value?.type !== "file" && stat.value?.type !== "link")) return undefined;
  const read = await files.readText(path, { maxBytes });
  return read.ok ? read.value : `unreadable, ${stat.value.size} bytes`;
}
