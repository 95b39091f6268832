import { code, type Page, page, table } from "./markdown.ts";
import { type Schema, text } from "./schema-text.ts";

/** Who holds what a contract says: contract, property, source file (schemas/enforcers.yaml). */
export type Enforcers = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Contracts of which no property limits an act, by kind, with the reason (schemas/records.yaml). */
export type Unlimiting = Readonly<Record<string, { readonly why: string; readonly contracts: readonly string[] }>>;

export interface Holding {
  readonly enforcers: Enforcers;
  readonly records: Unlimiting;
}

/** Every contract outside the events: what it is of, and whether it can still change. */
export function contractsPage(
  schemas: readonly Schema[],
  frozen: ReadonlySet<string>,
  { enforcers, records }: Holding,
): Page {
  const rows = schemas.map((schema) => {
    const id = text(schema["$id"]);
    const meaning = [text(schema["title"]), text(schema["description"])].filter(Boolean).join(". ");
    return [`[${code(id)}](../../schemas/${id}.json)`, meaning, frozen.has(id) ? "frozen" : "open"];
  });
  return page("contracts.md", "Contracts", [
    "Everything that crosses a boundary satisfies one of these. A frozen contract never changes: a breaking change is a new version. `writ schema validate ID FILE` checks a document of yours.",
    table(["contract", "of what", "state"], rows),
    "## Who holds it",
    "Every property of the contracts that grant and limit, with the source file that enforces it. A property that no file enforces does not load; `describes` marks one that limits and promises nothing.",
    ...Object.entries(enforcers).flatMap(([id, lines]) => [
      `### ${id}`,
      table(
        ["property", "enforced by"],
        Object.entries(lines).map(([path, file]) => [
          code(path),
          file === "describes" ? "describes" : code(`src/${file}`),
        ]),
      ),
    ]),
    "## What limits nothing by itself",
    table(
      ["kind", "why", "contracts"],
      Object.entries(records).map(([kind, { why, contracts }]) => [kind, why, contracts.map(code).join(", ")]),
    ),
  ]);
}
