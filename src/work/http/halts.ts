import type { ReasonRequestV1 } from "#core/contracts";
import { halt, json, listOf, plainGet, type Reply, type Route } from "#core/routes";
import { ok, type Result } from "#core/values";
import type { LogReader } from "#log";
import { sessionOf } from "#proof";
import type { HaltControl } from "../halts/halt-control.ts";
import { type HaltCaller, mayLift } from "../halts/halt-rank.ts";

export interface HaltRouteParts {
  readonly halts: HaltControl;
  readonly log: Pick<LogReader, "locate">;
}

/** What a write answers, and what it states like every other one: the halts that stand afterwards. */
const changed: Omit<Route<HaltRouteParts>, "method" | "path" | "summary" | "body" | "handle"> = {
  tag: "halts",
  right: "session.halt",
  query: {},
  headers: {},
  answer: { status: 200, description: "The halts that stand.", schema: listOf("halts", halt) },
  otherAnswers: [],
  reserveId: null,
  isSecret: false,
  isProbe: false,
};

/** The kill switch: a session halted, or everything, and lifted again. */
export const haltRoutes: readonly Route<HaltRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/halts",
    tag: "halts",
    summary: "The halts that stand",
    right: "read",
    query: {},
    headers: {},
    answer: { status: 200, description: "All of them.", schema: listOf("halts", halt) },
    otherAnswers: [],
    handle: (parts, { caller }) => standing(parts, caller),
  },
  {
    ...changed,
    method: "POST",
    path: "/api/v1/halts",
    summary: "Halts everything",
    body: "reason_request_v1",
    async handle(parts, { body, caller }) {
      const halted = await parts.halts.halt(null, (body as ReasonRequestV1).reason, caller);
      return halted.ok ? standing(parts, caller) : halted;
    },
  },
  {
    ...changed,
    method: "DELETE",
    path: "/api/v1/halts",
    summary: "Lifts the halt of everything; refused to who may do less than they who set it",
    body: null,
    async handle(parts, { caller }) {
      const lifted = await parts.halts.liftHalt(null, caller);
      return lifted.ok ? standing(parts, caller) : lifted;
    },
  },
  {
    ...changed,
    method: "POST",
    path: "/api/v1/sessions/:session_id/halt",
    summary: "Halts a session",
    body: "reason_request_v1",
    async handle(parts, { body, caller, params }) {
      const id = sessionOf(params);
      if (!id.ok) return id;
      // A misspelt id is refused: the caller must not take the session for stopped.
      const there = await parts.log.locate(id.value);
      if (!there.ok) return there;
      const halted = await parts.halts.halt(id.value, (body as ReasonRequestV1).reason, caller);
      return halted.ok ? standing(parts, caller) : halted;
    },
  },
  {
    ...changed,
    method: "DELETE",
    path: "/api/v1/sessions/:session_id/halt",
    summary: "Lifts the halt of a session; refused to who may do less than they who set it",
    body: null,
    async handle(parts, { caller, params }) {
      const id = sessionOf(params);
      if (!id.ok) return id;
      const lifted = await parts.halts.liftHalt(id.value, caller);
      return lifted.ok ? standing(parts, caller) : lifted;
    },
  },
];

async function standing({ halts: control }: Pick<HaltRouteParts, "halts">, caller: HaltCaller): Promise<Result<Reply>> {
  const halts = await control.halts();
  if (!halts.ok) return halts;
  const shown = halts.value.map(({ grants, ...halt }) => ({ ...halt, may_lift: mayLift(caller, { ...halt, grants }) }));
  return ok(json({ halts: shown, next: null }));
}
