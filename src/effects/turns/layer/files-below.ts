import { entriesIn, type FileView } from "./file-view.ts";

/** Paths of the files below a folder, as an order sees it, in the order of their names; at most `most` of them. */
export function filesBelow(view: FileView, folder: string, most: number): readonly string[] {
  const files: string[] = [];
  const folders = [folder];
  for (let here = folders.pop(); here !== undefined && files.length < most; here = folders.pop()) {
    for (const entry of entriesIn(view, here) ?? []) {
      const path = here === "" ? entry.name : `${here}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push(path);
    }
  }
  return files.toSorted().slice(0, most);
}
