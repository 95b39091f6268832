import type { Dirent } from "node:fs";
import { type FileEntry, type Files, ok } from "#core/values";
import { entriesIn, type FileView } from "./file-view.ts";

/** The `Files` port over the workspace as an order sees it: with what it has written and not landed. */
export function viewFiles(view: FileView, files: Files): Files {
  const below = `${view.root}/`;
  const pathIn = (place: string): string | undefined => {
    if (place === view.root) return "";
    return place.startsWith(below) ? place.slice(below.length) : undefined;
  };
  const at = (place: string): string => {
    const path = pathIn(place);
    return path === undefined ? place : view.at(path);
  };
  return {
    readText: (place, options) => files.readText(at(place), options),
    stat: (place) => files.stat(at(place)),
    async list(place) {
      const path = pathIn(place);
      if (path === undefined) return files.list(place);
      const entries = entriesIn(view, path) ?? [];
      return ok(
        entries
          .map((entry) => ({ name: entry.name, type: typeOf(entry) }))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      );
    },
  };
}

function typeOf(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): FileEntry["type"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
