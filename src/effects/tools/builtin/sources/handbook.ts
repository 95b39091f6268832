import type { Files, Sha256 } from "#core/values";
import { sha256 } from "#core/values";

/** A text that can be cited. */
export interface Source {
  readonly source: string;
  readonly kind: "file" | "handbook" | "registry";
  readonly text: string;
  readonly hash: Sha256;
}

const maxBytes = 1024 * 1024;

/** What Writ ships to be read: its guides, the standards of its frameworks, its registries. */
export async function handbook(files: Files, root: string): Promise<readonly Source[]> {
  const found: Source[] = [];
  const add = async (path: string, kind: Source["kind"]): Promise<void> => {
    const text = await files.readText(`${root}/${path}`, { maxBytes });
    if (text.ok) found.push({ source: path, kind, text: text.value, hash: sha256(text.value) });
  };
  const names = async (folder: string, ending: string): Promise<readonly string[]> => {
    const listed = await files.list(`${root}/${folder}`);
    return listed.ok
      ? listed.value.filter(({ name }) => name.endsWith(ending)).map(({ name }) => `${folder}/${name}`)
      : [];
  };
  for (const path of await names("docs/guides", ".md")) await add(path, "handbook");
  await add("docs/architecture.md", "handbook");
  const frameworks = await files.list(`${root}/frameworks`);
  if (frameworks.ok)
    for (const { name } of frameworks.value)
      for (const path of await names(`frameworks/${name}`, ".md")) await add(path, "handbook");
  for (const path of await names("registries", ".csv")) await add(path, "registry");
  return found;
}
