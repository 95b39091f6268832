import { isJsonObject, type JsonObject, type JsonValue } from "#core/values";
import type { Axis } from "./definition.ts";

/** A habit that would make the workflow plane collapse, found in a frontmatter. Each is refused in words of its own. */
export interface AntiPattern {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
}

const personaKeys = ["personas", "persona", "agents", "agent", "reviewers", "roles"];
const codeKeys = ["code", "command", "exec", "handler", "import", "module", "run", "script", "source"];
const silentKeys = ["audit", "events", "log", "logging", "record", "silent"];
const promptKeys = [
  "prompt",
  "instructions",
  "system",
  "system_prompt",
  "body",
  "allowed-tools",
  "tools",
  "description",
];

/** Seed 002's anti-patterns of L8, as they look in a frontmatter. */
export function findAntiPatterns(axis: Axis, data: JsonObject): readonly AntiPattern[] {
  if (axis === "persona" || axis === "artifact") return [];
  return [...inlinedPersonas(axis, data), ...inlinedPolicies(data), ...codeInside(axis, data), ...silence(axis, data)];
}

function inlinedPersonas(axis: Axis, data: JsonObject): readonly AntiPattern[] {
  const found: AntiPattern[] = [];
  const add = (path: string, what: string) =>
    found.push({
      path,
      rule: "inlined-persona",
      message: `${what}: a persona inside a ${axis} escapes audit, coverage and role-permissions`,
      hint: "move it to personas/<role>/<id>.md and name its id in the phase's agents_invoked",
    });
  if (axis !== "policy")
    for (const key of personaKeys) if (key in data) add(`$.${key}`, `"${key}" describes personas here`);
  if (axis === "cycle")
    for (const [index, phase] of listOf(data["phases"]).entries())
      if (isJsonObject(phase)) add(`$.phases[${index}]`, "a phase is written out here, with its personas");
  for (const [index, agent] of listOf(data["agents_invoked"]).entries())
    if (isJsonObject(agent) && promptKeys.some((key) => key in agent))
      add(`$.agents_invoked[${index}]`, "a persona is written out here");
  return found;
}

function inlinedPolicies(data: JsonObject): readonly AntiPattern[] {
  const inline = listOf(data["policies"]).flatMap((policy, index) =>
    isJsonObject(policy) ? [`$.policies[${index}]`] : [],
  );
  return inline.map((path) => ({
    path,
    rule: "hard-coded-policy",
    message: "a policy is written out here: nobody else can use it, and nobody can see that it is in force",
    hint: "move it to policies/<id>.md and name its id",
  }));
}

function codeInside(axis: Axis, data: JsonObject): readonly AntiPattern[] {
  return codeKeys
    .filter((key) => key in data)
    .map((key) => ({
      path: `$.${key}`,
      rule: "code-in-a-definition",
      message: `"${key}" asks for code: a ${axis} is Markdown alone, or adding one would need a release`,
      hint: "say it with phases, personas, policies and expressions; what needs a program is a tool or a hook",
    }));
}

function silence(axis: Axis, data: JsonObject): readonly AntiPattern[] {
  return silentKeys
    .filter((key) => key in data)
    .map((key) => ({
      path: `$.${key}`,
      rule: "skipped-audit",
      message: `"${key}" would say what is recorded: every transition and every decision of a ${axis} is an event, without exception`,
      hint: "leave it out",
    }));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
