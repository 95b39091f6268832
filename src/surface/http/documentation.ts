import { json, plainGet, type Route, type RouteDescription } from "#core/routes";
import { ok } from "#core/values";
import { apiPage, apiPageStyle } from "./openapi/page.ts";
import { pagePolicy } from "./security/headers.ts";

const openApiShape = { type: "object", description: "An OpenAPI 3.1 document." };

const page = { "content-type": "text/html; charset=utf-8", "content-security-policy": pagePolicy };

export interface DocumentationRouteParts {
  readonly version: string;
  /** The whole table, these rows included. */
  readonly routes: readonly RouteDescription[];
  /** The table in OpenAPI; made once, on the first call. */
  readonly openApi: () => object;
}

/** The API describes itself. */
export const documentationRoutes: readonly Route<DocumentationRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/openapi.json",
    tag: "server",
    summary: "This API in OpenAPI 3.1",
    right: "public",
    query: {},
    headers: {},
    answer: { status: 200, description: "The document.", schema: openApiShape },
    otherAnswers: [],
    handle: async ({ openApi }) => ok(json(openApi())),
  },
  {
    ...plainGet,
    path: "/api",
    tag: "server",
    summary: "This API for people",
    right: "public",
    query: {},
    headers: {},
    answer: { status: 200, description: "A page.", mediaType: "text/html" },
    otherAnswers: [],
    handle: async ({ routes, version }) => ok({ kind: "bytes", body: apiPage(routes, version), headers: page }),
  },
  {
    ...plainGet,
    path: "/api/style.css",
    tag: "server",
    summary: "The style of that page",
    right: "public",
    query: {},
    headers: {},
    answer: { status: 200, description: "A style sheet.", mediaType: "text/css" },
    otherAnswers: [],
    handle: async () =>
      ok({ kind: "bytes", body: apiPageStyle, headers: { "content-type": "text/css; charset=utf-8" } }),
  },
];
