import { type Files, ok, type Result } from "#core/values";
import type { Skill } from "./skill.ts";

const mostFiles = 100;

/** What lies beside a SKILL.md of the workspace, by paths for the tool that reads. A shipped skill has nothing beside it. */
export async function skillFiles(files: Files, folder: string, skill: Skill): Promise<Result<readonly string[]>> {
  if (skill.origin === "shipped") return ok([]);
  const prefix = skill.path.replace(/\/SKILL\.md$/, "");
  const found: string[] = [];
  const open = [""];
  while (open.length > 0 && found.length < mostFiles) {
    const below = open.shift() ?? "";
    const listed = await files.list(`${folder}${below}`);
    if (!listed.ok) return listed;
    for (const { name, type } of listed.value) {
      if (type === "folder") open.push(`${below}/${name}`);
      else if (type === "file" && !ownFiles.has(`${below}/${name}`)) found.push(`${prefix}${below}/${name}`);
    }
  }
  return ok(found.toSorted().slice(0, mostFiles));
}

/** The skill itself, and what only the scripted model reads. */
const ownFiles: ReadonlySet<string> = new Set(["/SKILL.md", "/rehearsal.yaml"]);
