import { isJsonObject } from "#core/values";
import type { Skill } from "./skill.ts";

const ownFields = [
  "name",
  "description",
  "triggers",
  "allowed-tools",
  "plugin",
  "version",
  "schema_version",
  "license",
  "compatibility",
  "metadata",
];

/**
 * The skill as the Agent Skills specification writes it, for other agents: tools as one text, everything that only Writ
 * knows as texts under `metadata`. Reading the result gives the same skill again.
 */
export function exportSkill(skill: Skill): string {
  const given = skill.frontmatter as Readonly<Record<string, unknown>>;
  const metadata: Record<string, string> = {};
  for (const [key, value] of Object.entries(isJsonObject(given["metadata"]) ? given["metadata"] : {}))
    metadata[key] = text(value);
  for (const [key, value] of Object.entries(given)) if (!ownFields.includes(key)) metadata[key] = text(value);
  // A skill without triggers says so where a reader would otherwise take the quoted words of its description for them.
  if (skill.triggers.length > 0 || /["“]/.test(skill.description)) metadata["triggers"] = triggerText(skill.triggers);
  for (const key of ["plugin", "version"]) if (given[key] !== undefined) metadata[key] = text(given[key]);
  const tools = (given["allowed-tools"] ?? []) as readonly string[];
  const lines = [`name: ${scalar(skill.id)}`, `description: ${scalar(skill.description)}`];
  for (const key of ["license", "compatibility"])
    if (given[key] !== undefined) lines.push(`${key}: ${scalar(text(given[key]))}`);
  const entries = Object.entries(metadata);
  if (entries.length > 0)
    lines.push("metadata:", ...entries.map(([key, value]) => `  ${scalar(key)}: ${scalar(value)}`));
  if (tools.length > 0) lines.push(`allowed-tools: ${scalar(tools.join(" "))}`);
  return `---\n${lines.join("\n")}\n---\n\n${skill.body}\n`;
}

const plain = /^[A-Za-z][\w .,;()/*-]*$/;
const keyword = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Plain where that is safe; otherwise as JSON writes texts, which is YAML too. */
function scalar(value: string): string {
  return plain.test(value) && !value.endsWith(" ") && !keyword.test(value)
    ? value
    : JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, escaped);
}

function escaped(char: string): string {
  const code = char.charCodeAt(0);
  const printable = (code >= 0xa0 && code < 0x2028) || (code > 0x2029 && code < 0xfeff);
  return printable ? char : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** Commas between them, unless one holds a comma itself; none at all is an empty list. */
function triggerText(triggers: readonly string[]): string {
  return triggers.length === 0 || triggers.some((trigger) => /[,\n]|^\[/.test(trigger))
    ? JSON.stringify(triggers)
    : triggers.join(", ");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
