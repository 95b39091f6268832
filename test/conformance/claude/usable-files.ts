import { join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { nodeFiles } from "#core/machine";
import { systemClock } from "#core/values";
import { skillCatalogue } from "../../../src/agents/skills/catalogue.ts";
import { createSkills } from "../../../src/agents/skills/discover-skills.ts";
import { readSettings } from "../../../src/governance/claude/settings/read-settings.ts";
import { workspaceWorkflows } from "../../../src/workflows/definitions/workspace-workflows.ts";

/** How many files of a kind Writ takes, and why it leaves the others. */
export interface Usable {
  readonly kind: "skills" | "skills in whole runs" | "commands" | "subagents" | "settings";
  readonly of: string;
  readonly all: number;
  readonly usable: number;
  readonly left: readonly string[];
}

const schemas = shippedRegistry();

/**
 * Skills in a folder, each tried with a request that names its subject: the agent finds it in the list that it chooses from, and
 * has tools.
 */
export async function usableSkills(of: string, folder: string, isOfCommands = false): Promise<Usable> {
  const root = { origin: "agents" as const, folder, shownAs: of, ...(isOfCommands ? { isOfCommands } : {}) };
  const found = await createSkills({ files: nodeFiles, schemas, clock: systemClock, roots: [root] }).discover();
  if (!found.ok) throw new Error(found.error.message);
  const { skills, skipped } = found.value;
  const left = skipped.map(({ path, reason }) => `${path}: ${reason}`);
  for (const skill of skills) {
    const listed = skillCatalogue(skills, skill.description.slice(0, 200), 200_000);
    if (!listed.includes(`- ${skill.id}: `))
      left.push(`${skill.path}: a request that names its subject does not find it`);
    else if (skill.limitsTools && skill.allowedTools.length === 0)
      left.push(`${skill.path}: its list of tools grants none`);
  }
  const all = skills.length + skipped.length;
  return { kind: isOfCommands ? "commands" : "skills", of, all, usable: all - left.length, left };
}

/** Subagents in the `.claude/agents` of a workspace. */
export async function usableSubagents(of: string, root: string): Promise<Usable> {
  const inspected = await workspaceWorkflows(root, schemas).inspect();
  if (!inspected.ok) throw new Error(inspected.error.message);
  const { definitions, skipped, problems } = inspected.value;
  const taken = definitions.filter(({ file }) => file.startsWith(".claude/")).length;
  const notTaken = skipped.filter(
    ({ rule }) => rule === "second-of-its-name" || rule === "bad-frontmatter" || rule === "unreadable",
  );
  const left = [...notTaken, ...problems].map(({ file, message }) => `${file}: ${message}`);
  return { kind: "subagents", of, all: taken + notTaken.length, usable: taken, left };
}

/** A settings file of a workspace: it loads, or says by its line why not. */
export async function usableSettings(of: string, root: string): Promise<Usable> {
  const read = await readSettings({ root, env: {}, managed: join(root, "absent"), files: nodeFiles, isTrusted: true });
  return { kind: "settings", of, all: 1, usable: read.ok ? 1 : 0, left: read.ok ? [] : [read.error.message] };
}
