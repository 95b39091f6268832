import { code, type Page, page, table } from "./markdown.ts";
import { type Schema, text } from "./schema-text.ts";

/** Every contract outside the events: what it is of, and whether it can still change. */
export function contractsPage(schemas: readonly Schema[], frozen: ReadonlySet<string>): Page {
  const rows = schemas.map((schema) => {
    const id = text(schema["$id"]);
    const meaning = [text(schema["title"]), text(schema["description"])].filter(Boolean).join(". ");
    return [`[${code(id)}](../../schemas/${id}.json)`, meaning, frozen.has(id) ? "frozen" : "open"];
  });
  return page("contracts.md", "Contracts", [
    "Everything that crosses a boundary satisfies one of these. A frozen contract never changes: a breaking change is a new version. `writ schema validate ID FILE` checks a document of yours.",
    table(["contract", "of what", "state"], rows),
  ]);
}
