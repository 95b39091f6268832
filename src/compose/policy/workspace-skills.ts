import { join } from "node:path";
import type { Clock, Files } from "#base";
import type { SchemaRegistry } from "#schemas";
import { createSkills, type Skills, skillRoots } from "#skills";
import { nodeFiles } from "../adapters/node-files.ts";
import { packageRoot } from "../runtime/package-root.ts";

/** The skills of a workspace: its own first, then those shared between agents, then what Writ ships. */
export function workspaceSkills(root: string, schemas: SchemaRegistry, clock: Clock, files: Files = nodeFiles): Skills {
  return createSkills({ files, schemas, clock, roots: skillRoots(root, join(packageRoot, "skills")) });
}
