import { ok } from "#base";
import { openApiDocument } from "../openapi/document.ts";
import { apiPage, apiPageStyle } from "../openapi/page.ts";
import { json, type Route } from "../route.ts";
import { pagePolicy } from "../security/headers.ts";
import type { Services } from "../services.ts";

const openApi = { type: "object", description: "An OpenAPI 3.1 document." };

/** The API describes itself. `all` is asked when it is needed: the description is one of the routes. */
export function documentationRoutes({ runtime, version }: Services, all: () => readonly Route[]): readonly Route[] {
  let document: object | undefined;
  const page = { "content-type": "text/html; charset=utf-8", "content-security-policy": pagePolicy };
  return [
    {
      method: "GET",
      path: "/api/v1/openapi.json",
      tag: "server",
      summary: "This API in OpenAPI 3.1",
      right: "public",
      answer: { status: 200, description: "The document.", schema: openApi },
      async handle() {
        document ??= openApiDocument(all(), runtime.schemas, version);
        return ok(json(document));
      },
    },
    {
      method: "GET",
      path: "/api",
      tag: "server",
      summary: "This API for people",
      right: "public",
      answer: { status: 200, description: "A page.", mediaType: "text/html" },
      handle: async () => ok({ kind: "bytes", body: apiPage(all(), version), headers: page }),
    },
    {
      method: "GET",
      path: "/api/style.css",
      tag: "server",
      summary: "The style of that page",
      right: "public",
      answer: { status: 200, description: "A style sheet.", mediaType: "text/css" },
      handle: async () =>
        ok({ kind: "bytes", body: apiPageStyle, headers: { "content-type": "text/css; charset=utf-8" } }),
    },
  ];
}
