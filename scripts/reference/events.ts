import { isJsonObject } from "#core/values";
import { code, type Page, page, table } from "./markdown.ts";
import { properties, type Schema, text, typeText } from "./schema-text.ts";

/** Every type of event that a session may hold, with its fields and the entry that it makes in the exec ledger. */
export function eventsPage(schemas: readonly Schema[]): Page {
  return page("events.md", "Events", [
    "An event of a session is `{id, seq, session_id, ts, type, actor, payload, schema_version, parent_id, prev_hash, hash}` ([`event_v1`](../../schemas/event_v1.json)). The type decides what the payload holds. `writ session events last` lists them, `writ session show last --full` prints their payloads.",
    ...schemas.map(eventText),
  ]);
}

function eventText(schema: Schema): string {
  const type = text(schema["$id"]).replace(/_v\d+$/, "");
  const ledger = isJsonObject(schema["x-ledger"]) ? text(schema["x-ledger"]["exec"]) : "";
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const says = [text(schema["title"]), text(schema["description"])].filter(Boolean).map(sentence).join(" ");
  const rows = properties(schema).map(([name, each]) => [
    code(name),
    `${typeText(each)}${required.includes(name) ? "" : ", may be absent"}`,
    text(each["description"]),
  ]);
  return [
    `## ${type}`,
    `${says}${ledger === "" ? "" : ` In the exec ledger: \`${ledger}\`.`}`,
    ...(rows.length > 0 ? [table(["field", "holds", "meaning"], rows)] : []),
  ].join("\n\n");
}

const sentence = (words: string): string => (/[.!?]$/.test(words) ? words : `${words}.`);
