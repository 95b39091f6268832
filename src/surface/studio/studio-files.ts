import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { codeOfError } from "#core/errors";
import { sha256 } from "#core/values";

export interface StudioFile {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly etag: string;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
};

/**
 * The studio as it was built, read once at the start. A request picks from this table: no path of a request ever reaches
 * the disk, so there is nothing to traverse.
 */
export function studioFiles(folder: string): ReadonlyMap<string, StudioFile> {
  const files = new Map<string, StudioFile>();
  for (const entry of entries(folder)) {
    const type = types[extname(entry)];
    if (type === undefined) continue;
    const bytes = readFileSync(join(folder, entry));
    files.set(`/${entry.replaceAll("\\", "/")}`, {
      bytes,
      type,
      etag: `"${sha256(bytes.toString("base64")).slice(0, 32)}"`,
    });
  }
  return files;
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch (thrown) {
    if (codeOfError(thrown) === "ENOENT") return []; // not built
    throw thrown;
  }
}

/** The file that a path names; a path of the studio's own (no ending) is its first page. */
export function studioFile(files: ReadonlyMap<string, StudioFile>, path: string): StudioFile | undefined {
  const found = files.get(path === "/" ? "/index.html" : path);
  if (found) return found;
  return /\.[a-z0-9]+$/i.test(path) ? undefined : files.get("/index.html");
}
