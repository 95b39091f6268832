import { join } from "node:path";
import { packageRoot } from "./package-root.ts";

/** Where a skill lies on disk. */
export function folderOfSkill(root: string, skill: { readonly id: string; readonly origin: string }): string {
  const base =
    skill.origin === "shipped"
      ? join(packageRoot, "skills")
      : skill.origin === "agents"
        ? join(root, ".agents/skills")
        : join(root, "skills");
  return join(base, skill.id);
}
