import { type Frontmatter, parseFrontmatter, type SchemaRegistry, type Violation } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result, sha256 } from "#core/values";
import { normalizeFrontmatter } from "./normalize-frontmatter.ts";
import type { Skill, SkillOrigin } from "./skill.ts";

export interface SkillSource {
  readonly folder: string;
  readonly origin: SkillOrigin;
  readonly path: string;
  readonly text: string;
  /** A Markdown file of its own, which may do without a head. */
  readonly isCommand?: true;
}

/** As the specification has it: lower case, digits, single hyphens, at most 64. */
const nameShape = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const limits = { head: 64 * 1024, name: 64, description: 4096, triggers: 64, trigger: 200, tools: 128 };

/** Takes a SKILL.md apart and checks it. The error's message begins with file and line. */
export function parseSkill(source: SkillSource, schemas: SchemaRegistry): Result<Skill> {
  const refuse = (line: number, reason: string): Result<never> =>
    err(domainError("SCHEMA_VIOLATION", `${source.path}:${line}: ${reason}`, { details: { line, reason } }));

  // A head is a dozen lines; the parser's time and memory are many times the text.
  const end = source.text.search(/\n(?:---|\.\.\.)[ \t\r]*(?:\n|$)/);
  if (end > limits.head) return refuse(1, `the frontmatter has ${end} characters, at most ${limits.head} are read`);
  const parsed = parseFrontmatter(end < 0 ? source.text.slice(0, limits.head) : source.text, { repairs: true });
  if (!parsed.ok) {
    const line = Number(parsed.error.details["line"] ?? 1);
    return refuse(line, parsed.error.message.replace(/^line \d+: /, ""));
  }
  const frontmatter = parsed.value;
  if (Object.keys(frontmatter.data).length === 0 && !source.isCommand)
    return refuse(1, 'it has no frontmatter; a skill begins with "---", name, description and "---"');
  const named = source.origin === "agents" ? withDefaults(frontmatter, source) : { data: frontmatter.data, notes: [] };
  const normalized = normalizeFrontmatter(named.data);
  const checked = schemas.validate("skill_frontmatter_v1", normalized.data);
  if (!checked.ok) {
    const [first] = (checked.error.details["violations"] ?? []) as readonly Violation[];
    return refuse(
      frontmatter.lineOf(first?.path ?? "$"),
      first ? `at ${first.path} expected ${first.expected}, found ${first.found}` : checked.error.message,
    );
  }
  const data = checked.value;
  const triggers = (data.triggers ?? []).map((trigger) => trigger.trim()).filter((trigger) => trigger !== "");
  const problem = findProblem(source, { ...data, triggers });
  if (problem) return refuse(frontmatter.lineOf(`$.${problem.field}`), problem.reason);
  return ok({
    id: data.name,
    description: data.description.trim(),
    triggers,
    ...(source.origin === "agents" && !normalized.statesTriggers ? { guessesTriggers: true as const } : {}),
    ...startersOf(frontmatter.data),
    allowedTools: normalized.granted,
    ...(normalized.programs ? { programs: normalized.programs } : {}),
    ...(normalized.denied.length > 0 ? { deniedTools: normalized.denied } : {}),
    limitsTools: frontmatter.data["allowed-tools"] !== undefined && frontmatter.data["allowed-tools"] !== null,
    frontmatter: data,
    body: frontmatter.body.replaceAll("\r\n", "\n").trim(),
    origin: source.origin,
    path: source.path,
    hash: sha256(source.text),
    notes: [
      ...(frontmatter.isRepaired
        ? ["the frontmatter is not YAML as it stands: texts with a colon were read as texts"]
        : []),
      ...named.notes,
      ...normalized.notes,
    ],
  });
}

/** What a text says counts like a word of YAML: a guard is not lost to its quotes. */
function startersOf(data: JsonObject): Pick<Skill, "startedOnlyBy"> {
  const says = (key: string, word: string) => {
    const value = data[key];
    return (typeof value === "boolean" || typeof value === "string") && `${value}`.trim().toLowerCase() === word;
  };
  if (says("disable-model-invocation", "true")) return { startedOnlyBy: "person" };
  return says("user-invocable", "false") ? { startedOnlyBy: "agent" } : {};
}

/** Files from elsewhere are known by where they lie: a name in the head is only shown there, and all of it may be left out. */
function withDefaults(
  { data, body }: Frontmatter,
  { folder, isCommand }: SkillSource,
): { readonly data: Frontmatter["data"]; readonly notes: readonly string[] } {
  const id = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, limits.name);
  const said = data["name"];
  const notes =
    typeof said === "string" && said !== id && !isCommand
      ? [`its name is ${id}, after its folder; the head says ${said.slice(0, 80)}`]
      : [];
  const given = data["description"];
  const description = typeof given === "string" && given.trim() !== "" ? given : firstParagraph(body, id);
  return { data: { ...data, name: id, description }, notes };
}

function firstParagraph(body: string, id: string): string {
  const lines = body.split("\n").map((line) => line.trim());
  const first =
    lines.find((line) => line !== "" && !line.startsWith("#") && !line.startsWith("```")) ?? `The command ${id}.`;
  return first.slice(0, 300);
}

interface Checked {
  readonly name: string;
  readonly description: string;
  readonly triggers: readonly string[];
  readonly "allowed-tools"?: readonly string[];
}

/** What the contract leaves open and the runtime needs. */
function findProblem(
  { folder, origin }: SkillSource,
  data: Checked,
): { readonly field: string; readonly reason: string } | undefined {
  const { name, description, triggers } = data;
  if (name.length > limits.name || !nameShape.test(name))
    return {
      field: "name",
      reason: `the name ${JSON.stringify(name.slice(0, 80))} is not lower case letters, digits and single hyphens, at most ${limits.name}`,
    };
  if (name !== folder && origin !== "agents")
    return { field: "name", reason: `the name ${JSON.stringify(name)} is not its folder's, ${JSON.stringify(folder)}` };
  if (description.trim() === "") return { field: "description", reason: "the description is empty" };
  if (description.length > limits.description)
    return {
      field: "description",
      reason: `the description has ${description.length} characters, at most ${limits.description} are read`,
    };
  if (triggers.length > limits.triggers)
    return { field: "triggers", reason: `${triggers.length} triggers, at most ${limits.triggers} are read` };
  if (triggers.some((trigger) => trigger.length > limits.trigger))
    return { field: "triggers", reason: `a trigger has more than ${limits.trigger} characters` };
  if ((data["allowed-tools"]?.length ?? 0) > limits.tools)
    return { field: "allowed-tools", reason: `more than ${limits.tools} tools` };
  return undefined;
}
