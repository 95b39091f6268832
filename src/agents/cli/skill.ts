import type { CliContext } from "#core/commands";
import { argument, type Command, type CommandGroup } from "#core/commands";
import type { Screen } from "#core/terminal";
import { table } from "#core/terminal";
import { ok, type Result } from "#core/values";
import type { SkillMatch } from "../skills/match-skill.ts";
import type { Skill, SkillSet } from "../skills/skill.ts";

interface SkillParts {
  readonly root: string;
}

const list: Command<"workspace", SkillParts> = {
  name: "list",
  summary: "every skill with its triggers and tools, and every SKILL.md that was skipped, with the reason",
  needs: "workspace",
  json: "skills and skipped",
  arguments: [],
  options: {},
  examples: ["writ skill list", "writ skill list --json | jq '.skipped'"],
  exits: null,
  run: async (parts, { context }) => {
    const found = await discover(parts, context);
    if (!found.ok) return found;
    const { skills, skipped } = found.value;
    return ok({
      json: { skills: skills.map(document), skipped },
      text: (screen) => describeAll(found.value, screen),
    });
  },
};

const match: Command<"workspace", SkillParts> = {
  name: "match",
  summary: "which skill a prompt would get, and why",
  needs: "workspace",
  json: "skill, selected_by, triggers, allowed_tools, reason and candidates",
  arguments: [argument("prompt", "what someone would ask")],
  options: {},
  examples: ['writ skill match "say hello to Ada"'],
  exits: null,
  run: async (parts, { arguments: [prompt = ""], context }) => {
    const found = await discover(parts, context);
    if (!found.ok) return found;
    const { matchSkill } = await import("../skills/match-skill.ts");
    const matched = matchSkill(prompt, found.value.skills);
    return ok({ json: matchDocument(matched), text: (screen) => describeMatch(matched, screen) });
  },
};

const exported: Command<"workspace", SkillParts> = {
  name: "export",
  summary: "print a skill in the form of the Agent Skills specification, for other agents",
  needs: "workspace",
  json: "name and text",
  arguments: [argument("name", "the skill")],
  options: {},
  examples: ["writ skill export greet > SKILL.md"],
  exits: null,
  run: async (parts, { arguments: [name = ""], context }) => {
    const found = await discover(parts, context);
    if (!found.ok) return found;
    const { exportSkill } = await import("../skills/export-skill.ts");
    const { selectSkill } = await import("../skills/match-skill.ts");
    const named = selectSkill(name, found.value.skills);
    if (!named.ok) return named;
    const text = exportSkill(named.value.selected);
    return ok({ json: { name: named.value.selected.id, text }, document: text });
  },
};

export const skill: CommandGroup<typeof list> = {
  name: "skill",
  summary: "what agents here can do, written as Markdown",
  examples: ["writ skill list"],
  members: [list, match, exported],
};

async function discover({ root }: SkillParts, { clock }: CliContext): Promise<Result<SkillSet>> {
  const { workspaceSkills } = await import("../skills/workspace-skills.ts");
  const { shippedRegistry } = await import("../../core/contracts/registry.ts");
  return workspaceSkills(root, shippedRegistry(), clock).discover();
}

function document(one: Skill): object {
  const { id, description, triggers, allowedTools, origin, path, hash, notes, frontmatter } = one;
  return {
    name: id,
    description,
    triggers,
    allowed_tools: allowedTools,
    version: frontmatter.version ?? null,
    origin,
    path,
    hash,
    notes,
  };
}

function matchDocument({ selected, selectedBy, triggers, candidates, reason }: SkillMatch): object {
  return {
    skill: selected?.id ?? null,
    selected_by: selectedBy,
    triggers,
    allowed_tools: selected?.allowedTools ?? [],
    reason,
    candidates: candidates.map((candidate) => ({ skill: candidate.skill.id, triggers: candidate.triggers })),
  };
}

function describeAll({ skills, skipped }: SkillSet, screen: Screen): string {
  const rows = skills.map(({ id, triggers, allowedTools, limitsTools, path }) => [
    screen.bold(id),
    few(triggers) || screen.dim("its name"),
    allowedTools.join(", ") || screen.dim(limitsTools ? "none" : "the order's"),
    screen.dim(path),
  ]);
  const notes = skills.flatMap(({ path, notes: said }) =>
    said.map((note) => `${screen.dim(screen.sign.dot)} ${path}: ${note}`),
  );
  const left = skipped.map(
    ({ path, line, reason }) =>
      `${screen.yellow(screen.sign.warn)} ${path}${line === undefined ? "" : `:${line}`}: skipped, ${reason}`,
  );
  const list = table(screen, ["skill", "triggers", "tools", "file"], rows);
  return [list, ...[...notes, ...left].map((line) => `${line}\n`)].join("");
}

/** The whole list would not fit beside the rest; `--json` has it. */
function few(triggers: readonly string[]): string {
  const rest = triggers.length - 3;
  return triggers.slice(0, 3).join(", ") + (rest > 0 ? ` +${rest}` : "");
}

function describeMatch({ selected, candidates, reason }: SkillMatch, screen: Screen): string {
  const [, ...others] = candidates;
  const lines = selected
    ? [
        `${screen.green(screen.sign.ok)} ${screen.bold(selected.id)}: ${reason}`,
        `  tools: ${selected.allowedTools.join(", ") || (selected.limitsTools ? "none" : "those of the order")}`,
        ...others.map(({ skill: other, triggers }) => screen.dim(`  also ${other.id}: ${triggers.join(", ")}`)),
      ]
    : [`${screen.yellow(screen.sign.warn)} ${reason}`];
  return `${lines.join("\n")}\n`;
}
