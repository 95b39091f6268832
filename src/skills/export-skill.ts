import { stringify } from "yaml";
import { isJsonObject } from "#base";
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
  if (skill.triggers.length > 0) metadata["triggers"] = triggerText(skill.triggers);
  for (const key of ["plugin", "version"]) if (given[key] !== undefined) metadata[key] = text(given[key]);
  const tools = (given["allowed-tools"] ?? []) as readonly string[];
  const head = {
    name: skill.id,
    description: skill.description,
    ...(given["license"] === undefined ? {} : { license: text(given["license"]) }),
    ...(given["compatibility"] === undefined ? {} : { compatibility: text(given["compatibility"]) }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(tools.length === 0 ? {} : { "allowed-tools": tools.join(" ") }),
  };
  return `---\n${stringify(head, { lineWidth: 0 })}---\n\n${skill.body}\n`;
}

/** Commas between them, unless one holds a comma itself. */
function triggerText(triggers: readonly string[]): string {
  return triggers.some((trigger) => /[,\n]|^\[/.test(trigger)) ? JSON.stringify(triggers) : triggers.join(", ");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
