import { type DomainError, domainError } from "../errors/domain-error.ts";
import { type Files } from "../values/files.ts";
import { sha256 } from "../values/hash.ts";
import { isJsonObject, type JsonObject } from "../values/json.ts";
import { err, ok, type Result } from "../values/result.ts";
import { parseJson } from "../values/strict-json.ts";
import { compileSchema } from "./compile.ts";
import { shippedSchemas } from "./generated/tables.ts";
import { createRegistry, isShipped, type OwnSchema, type SchemaRegistry, shippedSchema } from "./registry.ts";

const maxSchemaBytes = 1024 * 1024;

/**
 * The shipped contracts and those in the workspace's `schemas/*.json`. All problems are reported together, and then
 * nothing is loaded: half a set of contracts is not a smaller set of rules but another one.
 */
export async function loadRegistry(source: {
  readonly files: Files;
  readonly root: string;
}): Promise<Result<SchemaRegistry>> {
  const folder = `${source.root}/schemas`;
  const entries = await source.files.list(folder);
  if (!entries.ok) return entries;
  const problems: string[] = [];
  const texts = new Map<string, string>();
  for (const { name, type } of entries.value) {
    if (!name.endsWith(".json")) continue;
    if (type !== "file") {
      problems.push(`schemas/${name}: not a plain file`);
      continue;
    }
    const text = await source.files.readText(`${folder}/${name}`, { maxBytes: maxSchemaBytes });
    if (text.ok) texts.set(name, text.value);
    else problems.push(`schemas/${name}: ${text.error.message}`);
  }
  const frozen = readFrozen(texts, problems);
  const read = readSchemas(texts, problems);
  checkFrozen(frozen, texts, problems);
  const own = compileAll(read, texts, frozen, problems);
  return problems.length > 0 ? err(invalid(problems)) : ok(createRegistry(own));
}

function readFrozen(texts: Map<string, string>, problems: string[]): ReadonlyMap<string, string> {
  const text = texts.get("frozen.json");
  texts.delete("frozen.json");
  if (text === undefined) return new Map();
  const parsed = parseJson(text);
  if (!parsed.ok) problems.push(`schemas/frozen.json: ${parsed.error.message}`);
  else if (!isJsonObject(parsed.value))
    problems.push("schemas/frozen.json: expected an object of schema ids and their SHA-256");
  else return new Map(Object.entries(parsed.value).map(([id, hash]) => [id, JSON.stringify(hash)]));
  return new Map();
}

function readSchemas(texts: ReadonlyMap<string, string>, problems: string[]): ReadonlyMap<string, JsonObject> {
  const schemas = new Map<string, JsonObject>();
  for (const [name, text] of texts) {
    const file = `schemas/${name}`;
    const expected = name.slice(0, -".json".length);
    const parsed = parseJson(text);
    if (!parsed.ok) {
      problems.push(`${file}: ${parsed.error.message}`);
      continue;
    }
    const schema = parsed.value as JsonObject;
    const id = isJsonObject(schema) ? schema["$id"] : undefined;
    if (typeof id !== "string") problems.push(`${file}: it has no $id; expected "${expected}" as in the file's name`);
    else if (isShipped(id) && shippedSchemas[id]?.sha256 === sha256(text))
      continue; // Writ's own packages, installed here
    else if (isShipped(id))
      problems.push(`${file}: ${id} is a contract of Writ and cannot be redefined; choose another name`);
    else if (schemas.has(id)) problems.push(`${file}: the id ${id} is already taken by another file`);
    else if (id !== expected)
      problems.push(`${file}: its $id is "${id}", expected "${expected}" as in the file's name`);
    else if (!/^[A-Za-z0-9][A-Za-z0-9._-]*_v[1-9][0-9]*$/.test(id))
      problems.push(`${file}: a schema's name ends in its version, such as ${id}_v1`);
    if (typeof id === "string" && !schemas.has(id)) schemas.set(id, schema);
  }
  return schemas;
}

function checkFrozen(
  frozen: ReadonlyMap<string, string>,
  texts: ReadonlyMap<string, string>,
  problems: string[],
): void {
  for (const [id, hash] of frozen) {
    const text = texts.get(`${id}.json`);
    const next = id.replace(/_v(\d+)$/, (_, number: string) => `_v${Number(number) + 1}`);
    if (text === undefined && isShipped(id)) continue;
    if (text === undefined)
      problems.push(`schemas/${id}.json is frozen and is gone: put it back and add a v2 (${next}.json)`);
    else if (JSON.stringify(sha256(text)) !== hash)
      problems.push(
        `schemas/${id}.json is frozen and was changed: add a v2 (${next}.json) and leave this one as it was`,
      );
  }
}

function compileAll(
  schemas: ReadonlyMap<string, JsonObject>,
  texts: ReadonlyMap<string, string>,
  frozen: ReadonlyMap<string, string>,
  problems: string[],
): ReadonlyMap<string, OwnSchema> {
  const own = new Map<string, OwnSchema>();
  for (const [id, schema] of schemas) {
    if (isShipped(id)) continue;
    const file = `schemas/${id}.json`;
    const compiled = compileSchema(schema, { name: id, strict: true, references: referenced(schema, schemas) });
    if (!compiled.ok) {
      problems.push(`${file}: ${compiled.error.message}`);
      continue;
    }
    const title = typeof schema["title"] === "string" ? schema["title"] : id;
    const description = schema["description"];
    own.set(id, {
      schema,
      validate: compiled.value,
      info: {
        id,
        title,
        ...(typeof description === "string" ? { description } : {}),
        file,
        origin: "workspace",
        event: false,
        frozen: frozen.has(id),
        sha256: sha256(texts.get(`${id}.json`) ?? ""),
      },
    });
  }
  return own;
}

/** The contracts that a schema names in `$ref`, and those that they name. */
function referenced(schema: JsonObject, own: ReadonlyMap<string, JsonObject>): readonly object[] {
  const found = new Map<string, object>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      const id = key === "$ref" && typeof value === "string" ? value.split("#", 1)[0] : undefined;
      const target =
        id === undefined || id === "" || id === schema["$id"] || found.has(id)
          ? undefined
          : (own.get(id) ?? (Object.hasOwn(shippedSchemas, id) ? shippedSchema(id) : undefined));
      if (id !== undefined && target) {
        found.set(id, target);
        visit(target);
      } else visit(value);
    }
  };
  visit(schema);
  return [...found.values()];
}

function invalid(problems: readonly string[]): DomainError {
  const text =
    problems.length === 1
      ? String(problems[0])
      : `${problems.length} problems with the workspace's schemas:\n${problems.map((each) => `  ${each}`).join("\n")}`;
  return domainError("SCHEMA_INVALID", text, { details: { problems } });
}
