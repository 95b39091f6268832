import { dirname, join } from "node:path";
import { packageRoot } from "#core/machine";

/** Where a skill lies on disk. Its path says so for those of a workspace, which may lie under more than one roof. */
export function folderOfSkill(
  root: string,
  skill: { readonly id: string; readonly origin: string; readonly path: string },
): string {
  return skill.origin === "shipped" ? join(packageRoot, "skills", skill.id) : join(root, dirname(skill.path));
}
