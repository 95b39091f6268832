import { isoTime, ok } from "#base";
import { covers } from "#governance";
import { arrayOf, is, objectOf } from "../answer-shapes.ts";
import { json, type Route } from "../route.ts";
import type { Services } from "../services.ts";
import { withProbeTimeout } from "../with-probe-timeout.ts";

const readiness = objectOf({
  ready: is.flag,
  checks: arrayOf(objectOf({ name: is.text, ok: is.flag, detail: is.text })),
});
const who = objectOf({
  caller: is.text,
  roles: arrayOf(is.text),
  grants: arrayOf(is.text),
  may: arrayOf(is.text),
  authenticated_by: { enum: ["local", "api_key", "dev"] },
  workspace: objectOf({ name: is.text }),
  version: is.text,
  server: objectOf({ started_at: is.time, now: is.time, studio: is.flag }),
});

/** Whether somebody is there, and whether work can be taken. */
export function healthRoutes(services: Services, routes: () => readonly Route[]): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/healthz",
      tag: "server",
      summary: "Whether the process answers",
      right: "public",
      isProbe: true,
      answer: { status: 200, description: "It does.", schema: objectOf({ status: { const: "ok" } }) },
      handle: async () => ok(json({ status: "ok" })),
    },
    {
      method: "GET",
      path: "/readyz",
      tag: "server",
      summary: "Whether work can be taken: the store answers and no halt of everything stands",
      right: "public",
      isProbe: true,
      answer: { status: 200, description: "It can.", schema: readiness },
      otherwise: [{ status: 503, description: "It cannot.", schema: readiness }],
      async handle() {
        const halts = await withProbeTimeout(services.runtime.halts(), services.clock);
        const store = halts.ok
          ? { name: "store", ok: true, detail: "answers" }
          : { name: "store", ok: false, detail: "does not answer" };
        const halted = halts.ok && halts.value.some(({ session_id }) => session_id === null);
        const checks = [store, { name: "halt", ok: !halted, detail: halted ? "everything is halted" : "none stands" }];
        const ready = checks.every((check) => check.ok);
        return ok(json({ ready, checks }, ready ? 200 : 503));
      },
    },
    {
      method: "GET",
      path: "/api/v1/whoami",
      tag: "server",
      summary: "Who you are here, and what you may do",
      right: "read",
      answer: {
        status: 200,
        description: "The caller; of the rights that this API asks for, `may` names those that they have.",
        schema: who,
      },
      async handle({ caller }) {
        const { runtime, version, startedAt, hasStudio, clock } = services;
        return ok(
          json({
            caller: caller.id,
            roles: caller.roles,
            grants: caller.grants,
            may: rightsAskedFor(routes()).filter((right) => covers(caller.grants, right)),
            authenticated_by: caller.authenticatedBy,
            workspace: { name: runtime.root.split("/").at(-1) ?? "" },
            version,
            server: { started_at: startedAt, now: isoTime(clock.now()), studio: hasStudio },
          }),
        );
      },
    },
  ];
}

/** What the API asks for, each once: a page that offers an act looks here, and matches no grants itself. */
function rightsAskedFor(routes: readonly Route[]): readonly string[] {
  return [...new Set(routes.map(({ right }) => right))].filter((right) => right !== "public").sort();
}
