import { isoTime, ok } from "#base";
import { arrayOf, is, objectOf } from "../answer-shapes.ts";
import { inProbeTime } from "../in-probe-time.ts";
import { json, type Route } from "../route.ts";
import type { Services } from "../services.ts";

const readiness = objectOf({
  ready: is.flag,
  checks: arrayOf(objectOf({ name: is.text, ok: is.flag, detail: is.text })),
});
const who = objectOf({
  caller: is.text,
  roles: arrayOf(is.text),
  grants: arrayOf(is.text),
  authenticated_by: { enum: ["local", "api_key", "dev"] },
  workspace: objectOf({ name: is.text }),
  version: is.text,
  server: objectOf({ started_at: is.time, now: is.time, studio: is.flag }),
});

/** Whether somebody is there, and whether work can be taken. */
export function healthRoutes(services: Services): readonly Route[] {
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
        const halts = await inProbeTime(services.runtime.halts(), services.clock);
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
      answer: { status: 200, description: "The caller.", schema: who },
      async handle({ caller }) {
        const { runtime, version, startedAt, hasStudio, clock } = services;
        return ok(
          json({
            caller: caller.id,
            roles: caller.roles,
            grants: caller.grants,
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
