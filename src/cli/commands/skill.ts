import type { Command } from "commander";
import { ok, type Result } from "#base";
import type { Skill, SkillMatch, SkillSet } from "#skills";
import { act, type Invocation } from "../act.ts";
import type { CliContext } from "../context.ts";
import type { Screen } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { workspaceOf } from "../workspace-of.ts";

export function register(program: Command, context: CliContext): void {
  const skill = program
    .command("skill")
    .description("what agents here can do, written as Markdown")
    .addHelpText("after", "\nExample:\n  $ writ skill list\n");
  skill
    .command("list")
    .description("every skill with its triggers and tools, and every SKILL.md that was skipped, with the reason")
    .addHelpText("after", "\nExamples:\n  $ writ skill list\n  $ writ skill list --json | jq '.skipped'\n")
    .action(
      act(context, async (invocation) => {
        const found = await discover(invocation);
        if (!found.ok) return found;
        const { skills, skipped } = found.value;
        return ok({
          json: { skills: skills.map(document), skipped },
          text: (screen) => describeAll(found.value, screen),
        });
      }),
    );
  skill
    .command("match")
    .description("which skill a prompt would get, and why")
    .argument("<prompt>", "what someone would ask")
    .addHelpText("after", '\nExample:\n  $ writ skill match "say hello to Ada"\n')
    .action(
      act(context, async (invocation) => {
        const found = await discover(invocation);
        if (!found.ok) return found;
        const { matchSkill } = await import("#skills");
        const match = matchSkill(invocation.arguments[0] ?? "", found.value.skills);
        return ok({ json: matchDocument(match), text: (screen) => describeMatch(match, screen) });
      }),
    );
  skill
    .command("export")
    .description("print a skill in the form of the Agent Skills specification, for other agents")
    .argument("<name>", "the skill")
    .addHelpText("after", "\nExample:\n  $ writ skill export greet > SKILL.md\n")
    .action(
      act(context, async (invocation) => {
        const found = await discover(invocation);
        if (!found.ok) return found;
        const { exportSkill, selectSkill } = await import("#skills");
        const named = selectSkill(invocation.arguments[0] ?? "", found.value.skills);
        if (!named.ok) return named;
        const text = exportSkill(named.value.selected);
        return ok({ json: { name: named.value.selected.id, text }, document: text });
      }),
    );
}

async function discover(invocation: Pick<Invocation<object>, "context" | "root">): Promise<Result<SkillSet>> {
  const root = await workspaceOf(invocation);
  if (!root.ok) return root;
  const { workspaceSkills } = await import("#compose");
  const { shippedRegistry } = await import("#schemas");
  return workspaceSkills(root.value, shippedRegistry(), invocation.context.clock).discover();
}

function document(skill: Skill): object {
  const { id, description, triggers, allowedTools, origin, path, hash, notes, frontmatter } = skill;
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
  const rows = skills.map(({ id, triggers, allowedTools, path }) => [
    screen.bold(id),
    few(triggers) || screen.dim("its name"),
    allowedTools.join(", ") || screen.dim("none"),
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
        `  tools: ${selected.allowedTools.join(", ") || "none"}`,
        ...others.map(({ skill, triggers }) => screen.dim(`  also ${skill.id}: ${triggers.join(", ")}`)),
      ]
    : [`${screen.yellow(screen.sign.warn)} ${reason}`];
  return `${lines.join("\n")}\n`;
}
