import { type Frontmatter, parseFrontmatter, type SchemaRegistry, type Violation } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, type JsonValue, ok, type Result, sha256 } from "#core/values";
import { normalizeFrontmatter } from "./normalize-frontmatter.ts";
import type { Skill, SkillOrigin } from "./skill.ts";

export interface SkillSource {
  readonly folder: string;
  readonly origin: SkillOrigin;
  readonly path: string;
  readonly text: string;
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
  const parsed = parseLeniently(end < 0 ? source.text.slice(0, limits.head) : source.text);
  if (!parsed.ok) {
    const line = Number(parsed.error.details["line"] ?? 1);
    return refuse(line, parsed.error.message.replace(/^line \d+: /, ""));
  }
  const { frontmatter, repaired } = parsed.value;
  if (Object.keys(frontmatter.data).length === 0)
    return refuse(1, 'it has no frontmatter; a skill begins with "---", name, description and "---"');
  const normalized = normalizeFrontmatter(frontmatter.data);
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
  const problem = findProblem(source.folder, { ...data, triggers });
  if (problem) return refuse(frontmatter.lineOf(`$.${problem.field}`), problem.reason);
  return ok({
    id: data.name,
    description: data.description.trim(),
    triggers,
    allowedTools: normalized.granted,
    ...(normalized.programs ? { programs: normalized.programs } : {}),
    limitsTools: frontmatter.data["allowed-tools"] !== undefined && frontmatter.data["allowed-tools"] !== null,
    frontmatter: data,
    body: frontmatter.body.replaceAll("\r\n", "\n").trim(),
    origin: source.origin,
    path: source.path,
    hash: sha256(source.text),
    notes: [
      ...(repaired ? ["the frontmatter is not YAML as it stands: texts with a colon were read as texts"] : []),
      ...normalized.notes,
    ],
  });
}

interface Checked {
  readonly name: string;
  readonly description: string;
  readonly triggers: readonly string[];
  readonly "allowed-tools"?: readonly string[];
}

/** What the contract leaves open and the runtime needs. */
function findProblem(folder: string, data: Checked): { readonly field: string; readonly reason: string } | undefined {
  const { name, description, triggers } = data;
  if (name.length > limits.name || !nameShape.test(name))
    return {
      field: "name",
      reason: `the name ${JSON.stringify(name.slice(0, 80))} is not lower case letters, digits and single hyphens, at most ${limits.name}`,
    };
  if (name !== folder)
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

/**
 * Many files in the wild say `description: Use when: …` without quotes, which is not YAML. When a head cannot be read, its
 * plain one-line texts are quoted and it is tried once more; the first error is the one that is reported.
 */
function parseLeniently(text: string): Result<{ readonly frontmatter: Frontmatter; readonly repaired: boolean }> {
  const first = parseFrontmatter(text);
  if (first.ok) return ok({ frontmatter: first.value, repaired: false });
  const quoted = quotePlainTexts(text);
  const second = quoted === text ? first : parseFrontmatter(quoted);
  return second.ok ? ok({ frontmatter: second.value, repaired: true }) : first;
}

function quotePlainTexts(text: string): string {
  const lines = text.split("\n");
  for (let index = 1; index < lines.length && !/^(?:---|\.\.\.)\s*$/.test(lines[index] ?? ""); index++) {
    const plain = /^([A-Za-z][\w-]*):[ \t]+([^\s"'|>[{&*!#%@`].*?)\s*$/.exec(lines[index] ?? "");
    const value: JsonValue | undefined = plain?.[2];
    if (plain && value !== undefined && /:\s|\s#/.test(value)) lines[index] = `${plain[1]}: ${JSON.stringify(value)}`;
  }
  return lines.join("\n");
}
