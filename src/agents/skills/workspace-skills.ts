import { join } from "node:path";
import type { SchemaRegistry } from "#core/contracts";
import { nodeFiles, packageRoot } from "#core/machine";
import type { Clock, Files } from "#core/values";
import { createSkills, type Skills, skillRoots } from "./discover-skills.ts";

/** The skills of a workspace: its own first, then those shared between agents, then what Writ ships. */
export function workspaceSkills(root: string, schemas: SchemaRegistry, clock: Clock, files: Files = nodeFiles): Skills {
  return createSkills({ files, schemas, clock, roots: skillRoots(root, join(packageRoot, "skills")) });
}
