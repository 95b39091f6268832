import { normalizeFrontmatter } from "#agents";
import { type Frontmatter, parseFrontmatter, type SchemaRegistry, type Violation } from "#core/contracts";
import { isJsonObject, type JsonObject, sha256 } from "#core/values";
import { nameMatcher } from "#governance/mandate";
import { findAntiPatterns } from "./anti-patterns.ts";
import type { Axis, Definition, SourceFile } from "./definition.ts";
import { personaKinds, personaRole } from "./persona-role.ts";
import type { Problem } from "./problem.ts";

const schemaOf: Readonly<Record<Axis, "cycle_v1" | "phase_v1" | "policy_v1" | "persona_v1" | "artifact_v1">> = {
  cycle: "cycle_v1",
  phase: "phase_v1",
  policy: "policy_v1",
  persona: "persona_v1",
  artifact: "artifact_v1",
};

export type ReadDefinition = { readonly definition: Definition } | { readonly problems: readonly Problem[] };

/** One file: its frontmatter against the axis's contract, its id against its place. What is wrong with it is listed whole. */
export function readDefinition(source: SourceFile, text: string, schemas: SchemaRegistry): ReadDefinition {
  const problem = (line: number, rule: string, message: string, hint: string): Problem => ({
    file: source.file,
    line,
    rule,
    message,
    hint,
  });
  const isSubagent = source.file.startsWith(".claude/");
  const parsed = parseFrontmatter(text, { repairs: isSubagent });
  if (!parsed.ok) {
    const line = Number(parsed.error.details["line"] ?? 1);
    return {
      problems: [
        problem(
          line,
          "bad-frontmatter",
          parsed.error.message.replace(/^line \d+: /, ""),
          "mend the YAML between the --- lines",
        ),
      ],
    };
  }
  const { data, lineOf, body } = parsed.value;
  if (Object.keys(data).length === 0)
    return {
      problems: [
        problem(
          1,
          "bad-frontmatter",
          "it has no frontmatter",
          `a ${source.axis} begins with "---", its fields and "---"`,
        ),
      ],
    };
  const habits = findAntiPatterns(source.axis, data).map(({ path, rule, message, hint }) =>
    problem(lineOf(path), rule, message, hint),
  );
  if (habits.length > 0) return { problems: habits };
  const prepared = source.axis === "persona" ? preparePersona(data, isSubagent) : { data, tools: [] };
  const schema = schemaOf[source.axis];
  const checked = schemas.validate(schema, prepared.data);
  if (!checked.ok) return { problems: violations(checked.error.details["violations"], parsed.value, schema, problem) };
  const id = source.axis === "persona" ? (prepared.data["name"] as string) : (prepared.data["id"] as string);
  const named = source.axis === "persona" ? "name" : "id";
  if (id !== source.id && !isSubagent)
    return {
      problems: [
        problem(
          lineOf(`$.${named}`),
          "id-is-not-its-place",
          `the ${named} is ${JSON.stringify(id)}, its file says ${JSON.stringify(source.id)}`,
          "give both the same name",
        ),
      ],
    };
  const written = {
    id,
    origin: source.origin,
    file: source.file,
    path: source.path,
    text,
    hash: sha256(text),
    body: body.trim(),
    lineOf,
  };
  const value = checked.value as never;
  if (source.axis !== "persona") return { definition: { ...written, axis: source.axis, data: value } };
  const kind = source.folder ?? kindOf(prepared.data);
  const role = personaRole(kind);
  if (!role)
    return {
      problems: [
        problem(
          1,
          "unknown-role",
          `personas/${kind}/ is no role that a persona can have`,
          `the roles are ${personaKinds.join(", ")}`,
        ),
      ],
    };
  return { definition: { ...written, axis: "persona", data: value, role, tools: prepared.tools } };
}

/** What Claude Code's heads say besides. None of it grants anything here. */
const foreignFields = [
  "color",
  "disallowedTools",
  "permissionMode",
  "maxTurns",
  "skills",
  "mcpServers",
  "hooks",
  "memory",
  "background",
  "effort",
  "isolation",
  "initialPrompt",
];

/** The forms found in the wild (`allowed-tools` as a text, a version like 1.2) become the contract's; other tools' own fields are left out. */
function preparePersona(
  data: JsonObject,
  isSubagent: boolean,
): { readonly data: JsonObject; readonly tools: readonly string[] } {
  const { tools, ...rest } = data;
  const own = rest["allowed-tools"] === undefined && tools !== undefined ? { ...rest, "allowed-tools": tools } : rest;
  const normalized = normalizeFrontmatter(own);
  const name = normalized.data["name"];
  const isKnown = (key: string) => !foreignFields.includes(key) && (!isSubagent || personaFields.includes(key));
  const known = Object.fromEntries(Object.entries(normalized.data).filter(([key]) => isKnown(key)));
  const denied = normalizeFrontmatter({ "allowed-tools": data["disallowedTools"] ?? [] }).granted;
  const isPlanning = isSubagent && data["permissionMode"] === "plan";
  const left = normalized.granted.filter(
    (tool) =>
      ![...denied, ...(isPlanning ? changing : [])].some(
        (pattern) => nameMatcher(pattern)(tool) || nameMatcher(tool)(pattern),
      ),
  );
  return {
    data:
      isSubagent && typeof name === "string"
        ? { ...known, name: name.trim().replaceAll(/\s+/g, "-").toLowerCase() }
        : known,
    tools: left,
  };
}

/** What a subagent that only plans does not have. */
const changing = ["exec", "fs.write", "fs.edit"];

/** Of the contract of a persona. A file for other tools may say anything besides. */
const personaFields = [
  "name",
  "description",
  "triggers",
  "allowed-tools",
  "write-paths",
  "personas",
  "output_schema",
  "runs",
  "model",
  "plugin",
  "license",
  "metadata",
  "version",
  "schema_version",
];

/** A subagent file does not say which role it plays: one that speaks of reviewing reviews, any other works. */
function kindOf(data: JsonObject): string {
  const said = [data["name"], data["description"]]
    .filter((text) => typeof text === "string")
    .join(" ")
    .toLowerCase();
  if (/review|audit|critic/.test(said)) return "reviewer";
  return /research|investigat|explor/.test(said) ? "researcher" : "worker";
}

function violations(
  found: unknown,
  { lineOf }: Frontmatter,
  schema: string,
  problem: (line: number, rule: string, message: string, hint: string) => Problem,
): readonly Problem[] {
  const list = Array.isArray(found) ? found.filter(isJsonObject) : [];
  return (list as unknown as readonly Violation[]).map(({ path, expected, found: instead }) =>
    problem(
      lineOf(path),
      "bad-frontmatter",
      `at ${path} expected ${expected}, found ${instead}`,
      `schemas/${schema}.json has the fields`,
    ),
  );
}
