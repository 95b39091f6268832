import {
  arrayOf,
  is,
  json,
  objectOf,
  plainGet,
  type Route,
  type RouteDescription,
  withProbeTimeout,
} from "#core/routes";
import { type Clock, isoTime, ok, type Result } from "#core/values";
import { covers } from "#people";
import type { HaltControl } from "#work";

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

export interface HealthRouteParts {
  readonly halts: Pick<HaltControl, "halts">;
  /** Writes to the disk of the workspace, for all who ask at once, and answers the room that is left. */
  readonly tryWriting: () => Promise<Result<number>>;
  readonly clock: Clock;
  /** The workspace, absolute. */
  readonly root: string;
  readonly version: string;
  readonly startedAt: string;
  /** Whether the studio is part of this build. */
  readonly hasStudio: boolean;
  /** The whole table, these rows included. */
  readonly routes: readonly RouteDescription[];
}

/** Whether the process answers, and whether it accepts work. */
export const healthRoutes: readonly Route<HealthRouteParts>[] = [
  {
    ...plainGet,
    path: "/healthz",
    tag: "server",
    summary: "Whether the process answers",
    right: "public",
    query: {},
    headers: {},
    answer: { status: 200, description: "It does.", schema: objectOf({ status: { const: "ok" } }) },
    otherAnswers: [],
    isProbe: true,
    handle: async () => ok(json({ status: "ok" })),
  },
  {
    ...plainGet,
    path: "/readyz",
    tag: "server",
    summary: "Whether work can be taken: the store answers, the disk takes writes, and no halt of everything stands",
    right: "public",
    query: {},
    headers: {},
    answer: { status: 200, description: "It can.", schema: readiness },
    otherAnswers: [{ status: 503, description: "It cannot.", schema: readiness }],
    isProbe: true,
    async handle({ halts, tryWriting, clock }) {
      const [standing, written] = await Promise.all([
        withProbeTimeout(halts.halts(), clock),
        withProbeTimeout(tryWriting(), clock),
      ]);
      const store = standing.ok
        ? { name: "store", ok: true, detail: "answers" }
        : { name: "store", ok: false, detail: "does not answer" };
      const disk = written.ok
        ? { name: "disk", ok: true, detail: `takes writes, ${Math.floor(written.value / 1_000_000)} MB free` }
        : { name: "disk", ok: false, detail: "takes no writes" };
      const halted = standing.ok && standing.value.some(({ session_id }) => session_id === null);
      const checks = [
        store,
        disk,
        { name: "halt", ok: !halted, detail: halted ? "everything is halted" : "none stands" },
      ];
      const ready = checks.every((check) => check.ok);
      return ok(json({ ready, checks }, ready ? 200 : 503));
    },
  },
  {
    ...plainGet,
    path: "/api/v1/whoami",
    tag: "server",
    summary: "Who you are here, and what you may do",
    right: "read",
    query: {},
    headers: {},
    answer: {
      status: 200,
      description: "The caller; of the rights that this API asks for, `may` names those that they have.",
      schema: who,
    },
    otherAnswers: [],
    async handle({ root, version, startedAt, hasStudio, clock, routes }, { caller }) {
      return ok(
        json({
          caller: caller.id,
          roles: caller.roles,
          grants: caller.grants,
          may: requiredRights(routes).filter((right) => covers(caller.grants, right)),
          authenticated_by: caller.authenticatedBy,
          workspace: { name: root.split("/").at(-1) ?? "" },
          version,
          server: { started_at: startedAt, now: isoTime(clock.now()), studio: hasStudio },
        }),
      );
    },
  },
];

/** The rights of the table, each once. A page that offers an action reads them here and matches no grants itself. */
function requiredRights(routes: readonly RouteDescription[]): readonly string[] {
  return [...new Set(routes.map(({ right }) => right))].filter((right) => right !== "public").sort();
}
