import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptRule } from "../cycle-examples.ts";
import { repository } from "../writ.ts";
import type { Behaviour, SeenRequest } from "./vendor-server.ts";

const folder = join(repository, "workflows/personas");
const personas = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => {
    const [, , body = ""] = readFileSync(join(folder, file), "utf8").split(/^---$/m);
    return { id: file.replace(/^.*\/|\.md$/g, ""), body: body.trim() };
  });

/**
 * A model at a vendor that knows only what the request holds: it recognises the persona by the words it is told to speak
 * with, and the tools by the names under which they are offered. What it says is what the example's script has.
 */
export function cycleMind(
  rules: readonly ScriptRule[],
  dress: (json: string) => string,
): (request: SeenRequest) => Behaviour {
  const asked = new Map<string, number>();
  return ({ body }) => {
    const told = texts(body).join("\n");
    const persona = personas.find((each) => told.includes(each.body))?.id;
    if (persona === undefined) return { status: 400, message: "nobody is spoken to" };
    const call = (asked.get(persona) ?? 0) + 1;
    asked.set(persona, call);
    const rule = rules.find(
      ({ when }) => when.persona === persona && (when.call === undefined || when.call === call),
    )?.respond;
    if (rule?.tool_calls)
      return {
        calls: rule.tool_calls.map(({ name, args }, index) => ({
          id: `toolu_${persona}_${call}_${index}`.replaceAll("-", "_"),
          name: offered(body, name),
          input: JSON.stringify(args),
        })),
      };
    if (rule?.json) return { text: dress(JSON.stringify(rule.json, null, 2)) };
    if (told.includes("`review_findings_v1`")) return { text: dress('{"findings": [], "schema_version": "v1"}') };
    return { status: 400, message: `nothing is arranged for call ${call} of ${persona}` };
  };
}

/** A tool by the name that this vendor was given for it: dots are not allowed in names. */
function offered(body: unknown, name: string): string {
  const plain = (text: string) => text.replaceAll(/[^a-z]/g, "");
  return texts(body).find((text) => /^[\w-]+$/.test(text) && plain(text) === plain(name)) ?? name;
}

function texts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(texts);
}
