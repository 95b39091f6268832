import type { Clock } from "#base";
import { shippedRegistry } from "#schemas";
import { createSkills, type Skills, skillRoots } from "#skills";
import { nodeFiles } from "../adapters/node-files.ts";
import { shippedFolder } from "./shipped-folder.ts";

/** The skills of a workspace: its own first, then those shared between agents, then what Writ ships. */
export function workspaceSkills(root: string, clock: Clock): Skills {
  return createSkills({
    files: nodeFiles,
    schemas: shippedRegistry(),
    clock,
    roots: skillRoots(root, shippedFolder("skills")),
  });
}
