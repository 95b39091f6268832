import type { QueryParameter, RouteAnswer, RouteDescription } from "#core/routes";
import { isJsonObject } from "#core/values";
import { allRoutes } from "../../src/main/tables/routes.ts";
import { code, type Page, page, table } from "./markdown.ts";
import { properties, type Schema, text, typeText } from "./schema-text.ts";

/** Every route of the API, from the table that the server itself is made of. */
export function httpPage(contracts: ReadonlyMap<string, Schema>): Page {
  const routes: readonly RouteDescription[] = allRoutes;
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  return page("http.md", "HTTP", [
    "`writ up` serves this for the person at the machine, `writ serve` for a team. A running server says the same of itself: `/api` for people, `/api/v1/openapi.json` (OpenAPI 3.1) for programs. Model Context Protocol is spoken at `/mcp`.",
    "## Everywhere",
    [
      "- **Who asks.** `Authorization: Bearer KEY`, made by `writ key create CALLER`. Only `writ up` needs none. Each request names below the right that the caller's roles must grant; a key that is shown must be good, also where none is needed.",
      "- **Bodies** are JSON in UTF-8 (`content-type: application/json`) and fit the contract that is named. An unknown field or query parameter is refused.",
      "- **Refusals** are problem documents (RFC 9457, [`problem_v1`](../../schemas/problem_v1.json)): `code` is one of the [error codes](errors.md), `retryable` says whether asking again may help, and 429 and 503 come with `Retry-After`.",
      "- **Writes** take an `Idempotency-Key`: the same request with the same key acts once and is answered alike. Where an answer holds a secret, or nothing is changed, none is taken.",
      "- **Pages.** A list answers `next`: null at its end, otherwise what `after` takes for the page behind it.",
      "- **Streams** are server-sent events. `Last-Event-ID`, or `after`, goes on where a connection broke off; `end` says that nothing more will come.",
      "- **Answers** may get further fields. Those that are named here stay.",
    ].join("\n"),
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      ...routes.filter((route) => route.tag === tag).map((route) => routeText(route, contracts)),
    ]),
  ]);
}

function routeText(route: RouteDescription, contracts: ReadonlyMap<string, Schema>): string {
  const right = route.right === "public" ? "Needs no key." : `Needs the right \`${route.right}\`.`;
  const parameters = [
    ...Object.entries(route.query).map(queryRow),
    ...Object.entries(route.headers).map(([name, { description }]) => [code(name), "header", "", description]),
  ];
  return [
    `### ${route.method} ${route.path.replace(/:([a-z_0-9]+)/g, "{$1}")}`,
    `${sentence(route.summary)} ${right}`,
    ...(parameters.length > 0 ? [table(["parameter", "takes", "default", "meaning"], parameters)] : []),
    ...(route.body === null ? [] : bodyText(route.body, contracts)),
    ...[route.answer, ...route.otherAnswers].map(answerText),
  ].join("\n\n");
}

function queryRow([name, parameter]: readonly [string, QueryParameter]): readonly string[] {
  const { description, default: otherwise, minimum, maximum, required } = parameter;
  const bounds = [
    minimum === undefined ? "" : `at least ${minimum}`,
    maximum === undefined ? "" : `at most ${maximum}`,
  ];
  const takes = [typeText(parameter), ...bounds, required ? "needed" : ""].filter(Boolean).join(", ");
  return [code(name), takes, otherwise === undefined ? "" : code(String(otherwise)), description];
}

function bodyText(id: string, contracts: ReadonlyMap<string, Schema>): readonly string[] {
  const contract = contracts.get(id);
  const required = Array.isArray(contract?.["required"]) ? contract["required"] : [];
  const rows = properties(contract).map(([name, each]) => [
    code(name),
    `${typeText(each)}${required.includes(name) ? "" : ", may be absent"}`,
    text(each["description"]),
  ]);
  return [`Body, ${linkTo(id)}:`, table(["field", "takes", "meaning"], rows)];
}

function answerText(answer: RouteAnswer): string {
  const head = `**${answer.status}** ${answer.description}`;
  if ("mediaType" in answer) return answer.mediaType === null ? head : `${head} \`${answer.mediaType}\`.`;
  const { schema } = answer;
  if (typeof schema === "string") return `${head} ${linkTo(schema)}.`;
  const rows = isJsonObject(schema) ? fieldRows(schema, "") : [];
  return rows.length > 0 ? `${head}\n\n${table(["field", "holds", "meaning"], rows)}` : head;
}

/** A field and those inside it, named as one reaches them: `sessions[].ok`. */
function fieldRows(schema: Schema, prefix: string): readonly (readonly string[])[] {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return properties(schema).flatMap(([name, each]) => {
    const path = `${prefix}${name}`;
    const absent = required.includes(name) ? "" : ", may be absent";
    const inside = insideOf(each);
    const row = [code(path), `${holds(each)}${absent}`, text(each["description"])];
    return [row, ...fieldRows(inside.schema, `${path}${inside.step}`)];
  });
}

/** What a field holds one level down: of a list its items, of something that may be null the thing. */
function insideOf(schema: Schema): { readonly schema: Schema; readonly step: string } {
  const choices = Array.isArray(schema["anyOf"]) ? (schema["anyOf"] as readonly Schema[]) : [];
  const thing = choices.find((each) => each["type"] !== "null") ?? schema;
  return isJsonObject(thing["items"])
    ? { schema: insideOf(thing["items"]).schema, step: "[]." }
    : { schema: thing, step: "." };
}

function holds(schema: Schema): string {
  if (Array.isArray(schema["anyOf"])) return (schema["anyOf"] as readonly Schema[]).map(holds).join(" or ");
  if (schema["type"] === "array" && isJsonObject(schema["items"])) return `list of ${holds(schema["items"])}`;
  const ref = text(schema["$ref"]);
  const [contract = "", inner = ""] = ref.split("#");
  if (ref === "") return typeText(schema);
  return inner === "" ? linkTo(contract) : `as in ${linkTo(contract)}`;
}

function linkTo(contract: string): string {
  const isEvent = /^[a-z_]+\.[a-z_.]+_v\d+$/.test(contract);
  return `[${code(contract)}](../../schemas/${isEvent ? "events/" : ""}${contract}.json)`;
}

const sentence = (words: string): string => (/[.!?]$/.test(words) ? words : `${words}.`);
