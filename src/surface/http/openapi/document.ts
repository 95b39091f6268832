import type { SchemaRegistry } from "#core/contracts";
import type { HeaderParameter, QueryParameter, RouteAnswer, RouteDescription } from "#core/routes";
import { maxText } from "#core/routes";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/values";
import { idempotencyKeyPattern } from "../idempotency.ts";

/** The API in OpenAPI 3.1, derived from the route table and the contracts. */
export function openApiDocument(
  routes: readonly RouteDescription[],
  schemas: Pick<SchemaRegistry, "schema">,
  version: string,
): JsonObject {
  const used = new Set<string>(["problem_v1"]);
  const refer = (schema: unknown): JsonValue => relocate(schema as JsonValue, used);
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([a-z_0-9]+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, refer) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Writ",
      version,
      description:
        "A governed runtime for AI agents. Errors are problem documents (RFC 9457) with Writ's codes; writes take an Idempotency-Key.",
    },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer", description: "`writ key create` makes one." } },
      schemas: components(used, schemas),
    },
  };
}

function operation(route: RouteDescription, refer: (schema: unknown) => JsonValue): JsonObject {
  const parameters: JsonValue[] = [...route.path.matchAll(/:([a-z_0-9]+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  for (const [name, parameter] of Object.entries(route.query)) parameters.push(queryOf(name, parameter));
  for (const [name, parameter] of Object.entries(headersOf(route)))
    parameters.push({
      name,
      in: "header",
      required: false,
      description: parameter.description,
      schema: { type: "string", pattern: parameter.pattern },
    });
  const problem = {
    description: "Refused.",
    content: { "application/problem+json": { schema: refer({ $ref: "problem_v1" }) } },
  };
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[^a-z0-9]+/gi, "_")}`,
    tags: [route.tag],
    summary: route.summary,
    description: route.right === "public" ? "Needs no key." : `Needs the right \`${route.right}\`.`,
    ...(route.right === "public" ? { security: [] } : {}),
    parameters,
    ...(route.body === null
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: refer({ $ref: route.body }) } } } }),
    responses: {
      ...Object.fromEntries([route.answer, ...route.otherAnswers].map((answer) => response(answer, refer))),
      default: problem,
    },
  };
}

function response(answer: RouteAnswer, refer: (schema: unknown) => JsonValue): [string, JsonObject] {
  return [String(answer.status), { description: answer.description, ...content(answer, refer) }];
}

function content(answer: RouteAnswer, refer: (schema: unknown) => JsonValue): JsonObject {
  if ("mediaType" in answer) return answer.mediaType === null ? {} : { content: { [answer.mediaType]: {} } };
  const schema = typeof answer.schema === "string" ? { $ref: answer.schema } : answer.schema;
  return { content: { "application/json": { schema: refer(schema) } } };
}

const idempotencyKey: HeaderParameter = {
  description: "The same request with the same key acts once and is answered alike.",
  pattern: idempotencyKeyPattern,
};

function headersOf(route: RouteDescription): Readonly<Record<string, HeaderParameter>> {
  const takesKey = route.method !== "GET" && !route.isSecret;
  return { ...route.headers, ...(takesKey ? { "Idempotency-Key": idempotencyKey } : {}) };
}

function queryOf(
  name: string,
  { description, enum: words, default: otherwise, required, ...rest }: QueryParameter,
): JsonObject {
  const isText = rest.type === "string" && words === undefined;
  const schema: JsonObject = {
    type: rest.type,
    ...(rest.minimum === undefined ? {} : { minimum: rest.minimum }),
    ...(rest.maximum === undefined ? {} : { maximum: rest.maximum }),
    ...(isText ? { maxLength: rest.maxLength ?? maxText } : {}),
    ...(words === undefined ? {} : { enum: [...words] }),
    ...(otherwise === undefined ? {} : { default: otherwise }),
  };
  return { name, in: "query", required: required === true, description, schema };
}

function components(used: Set<string>, schemas: Pick<SchemaRegistry, "schema">): JsonObject {
  const found: Record<string, JsonValue> = {};
  // Contracts name further contracts: the set grows while it is walked.
  for (const id of used) {
    const contract = schemas.schema(id);
    if (!contract.ok) throw new Error(`a route names the contract ${id}, which there is not`);
    const { $id: _id, $schema: _schema, ...body } = contract.value as Record<string, JsonValue>;
    found[id] = relocate(body, used, id);
  }
  return found;
}

/** A reference between contracts is their id; in the document they lie under components, and inner ones below those. */
function relocate(schema: JsonValue, used: Set<string>, inside?: string): JsonValue {
  if (Array.isArray(schema)) return schema.map((each) => relocate(each, used, inside));
  if (!isJsonObject(schema)) return schema;
  const moved: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name.startsWith("x-")) continue;
    moved[name] =
      name === "$ref" && typeof value === "string" ? placeOf(value, used, inside) : relocate(value, used, inside);
  }
  return moved;
}

function placeOf(ref: string, used: Set<string>, inside: string | undefined): string {
  if (ref.startsWith("#")) return inside === undefined ? ref : `#/components/schemas/${inside}${ref.slice(1)}`;
  const [id = ref, inner = ""] = ref.split("#");
  used.add(id);
  return `#/components/schemas/${id}${inner}`;
}
