import type { SchemaTypes } from "#core/contracts";

/** The table as a file holds it. */
export type ModelTableDocument = SchemaTypes["model_table_v1"];

/** What is known of models on a day: shipped with Writ, and replaced model by model by what a workspace was given. */
export interface ModelTable {
  readonly as_of: string;
  /** Where it lies; null for the one that Writ ships. */
  readonly updated: string | null;
  facts(model: string): ModelFacts | undefined;
  readonly models: Readonly<Record<string, ModelFacts>>;
}

export type ModelFacts = ModelTableDocument["models"][string];

export function tableOf(
  shipped: ModelTableDocument,
  update?: { readonly table: ModelTableDocument; readonly path: string },
): ModelTable {
  const models: Record<string, ModelFacts> = { ...shipped.models, ...update?.table.models };
  return {
    as_of: update && update.table.as_of > shipped.as_of ? update.table.as_of : shipped.as_of,
    updated: update?.path ?? null,
    models,
    facts: (model) => findModel(models, model),
  };
}

/** A model under the name that is asked for, or under what is left of it without provider prefix, date and `-latest`. */
function findModel(models: Readonly<Record<string, ModelFacts>>, model: string): ModelFacts | undefined {
  for (const name of spellings(model)) if (Object.hasOwn(models, name)) return models[name];
  return undefined;
}

/** The names that a model may have in a table, the nearest first. A price of `:free` is not that of the paid model. */
export function spellings(model: string): readonly string[] {
  const names = [model];
  const add = (name: string) => {
    if (name !== "" && !names.includes(name)) names.push(name);
  };
  if (model.endsWith(":free")) return names;
  for (const name of [model, withoutPrefix(model)]) {
    add(name);
    add(name.replace(/-latest$/, ""));
    // -20250929, -2025-08-07, @20250929; the dated name is a snapshot of the same model
    add(name.replace(/[-@](?:20\d{6}|20\d{2}-\d{2}-\d{2})$/, ""));
    add(name.replace(/[-@](?:20\d{6}|20\d{2}-\d{2}-\d{2})(?:-v\d+(?::\d+)?)?$/, ""));
  }
  return names;
}

/** `anthropic/claude-…`, `models/gemini-…`, `us.anthropic.claude-…`. A route of a reseller may cost more: groq keeps its prefix. */
function withoutPrefix(model: string): string {
  const last = model.split("/").at(-1) ?? model;
  if (/^(?:groq|openrouter|together|fireworks|bedrock|azure|vertex)/.test(model)) return model;
  return last.replace(/^(?:[a-z]{2}\.)?anthropic\./, "");
}

/** How old the figures are, in days. */
export function ageInDays(as_of: string, nowMs: number): number {
  return Math.floor((nowMs - Date.parse(`${as_of}T00:00:00Z`)) / 86_400_000);
}
