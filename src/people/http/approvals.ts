import type { ApprovalDecisionV1 } from "#core/contracts";
import { integer, json, listOf, pageSize, plainGet, type Route, text } from "#core/routes";
import { ok } from "#core/values";
import type { Approval } from "../approvals/approval.ts";
import type { Decisions } from "../approvals/decisions.ts";
import type { Inbox } from "../approvals/inbox.ts";

export interface ApprovalRouteParts {
  readonly inbox: Pick<Inbox, "find" | "list" | "takeBack" | "press">;
  readonly decisions: Decisions;
}

const ofOneQuestion = {
  tag: "approvals",
  right: "approve",
  query: {},
  headers: {},
  answer: { status: 200, description: "The question.", schema: "approval_v1" },
  otherAnswers: [],
  reserveId: null,
  isSecret: false,
  isProbe: false,
} as const;

/** Questions that wait for a person. */
export const approvalRoutes: readonly Route<ApprovalRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/approvals",
    tag: "approvals",
    summary: "The inbox, the newest first",
    right: "read",
    query: {
      limit: pageSize,
      after: { type: "string", description: "The `next` of the page before." },
      state: { type: "string", description: "Only these.", enum: ["open", "decided", "all"], default: "open" },
      session: { type: "string", description: "Only what this session waits for." },
    },
    headers: {},
    answer: { status: 200, description: "A page.", schema: listOf("approvals", { $ref: "approval_v1" }) },
    otherAnswers: [],
    async handle({ inbox, decisions }, { query }) {
      const before = text(query, "after");
      const session_id = text(query, "session");
      const limit = integer(query, "limit", 100);
      const collected = await decisions.collect();
      if (!collected.ok) return collected;
      const found = await inbox.list({
        limit,
        state: (text(query, "state") ?? "open") as "open" | "decided" | "all",
        ...(before === undefined ? {} : { before }),
        ...(session_id === undefined ? {} : { session_id }),
      });
      if (!found.ok) return found;
      const next = found.value.length === limit ? (found.value.at(-1)?.approval_id ?? null) : null;
      const approvals = await Promise.all(found.value.map((approval) => decisions.present(approval)));
      return ok(json({ approvals, next }));
    },
  },
  {
    ...plainGet,
    path: "/api/v1/approvals/:approval_id",
    tag: "approvals",
    summary: "One question, with the exact bytes that it is about, what would come of it now, and what led to it",
    right: "read",
    query: { brief: { type: "boolean", description: "Without what led to it.", default: false } },
    headers: {},
    answer: { status: 200, description: "The question.", schema: "approval_v1" },
    otherAnswers: [],
    async handle({ inbox, decisions }, { params, query }) {
      const found = await inbox.find(params["approval_id"] ?? "");
      return found.ok ? ok(json(await decisions.present(found.value, { whole: query["brief"] !== true }))) : found;
    },
  },
  {
    method: "POST",
    path: "/api/v1/approvals/:approval_id/decision",
    tag: "approvals",
    summary: "Decides a question, for exactly what was shown; the author cannot",
    right: "approve",
    query: {},
    headers: {},
    body: "approval_decision_v1",
    answer: { status: 200, description: "The question, decided.", schema: "approval_v1" },
    otherAnswers: [],
    reserveId: null,
    isSecret: false,
    isProbe: false,
    async handle({ decisions }, { params, body, caller }) {
      const { choice, subject_hash, reason = "", result, undo_seconds = 0 } = body as ApprovalDecisionV1;
      const input = {
        choice,
        subject_hash,
        reason,
        ...(result === undefined ? {} : { result: result as Approval["result"] }),
      };
      const decided = await decisions.decide(caller, params["approval_id"] ?? "", input, undo_seconds * 1000);
      return decided.ok ? ok(json(await decisions.present(decided.value))) : decided;
    },
  },
  {
    ...ofOneQuestion,
    method: "DELETE",
    path: "/api/v1/approvals/:approval_id/decision",
    body: null,
    summary: "Takes back what the caller said, while nothing has come of it",
    async handle({ inbox, decisions }, { params, caller }) {
      const taken = await inbox.takeBack(caller, params["approval_id"] ?? "");
      return taken.ok ? ok(json(await decisions.present(taken.value))) : taken;
    },
  },
  {
    ...ofOneQuestion,
    method: "POST",
    path: "/api/v1/approvals/:approval_id/hold",
    summary: "The caller presses the button of a question whose yes is held; the time counts from here",
    body: "approval_decision_v1",
    async handle({ inbox, decisions }, { params, body, caller }) {
      const { subject_hash } = body as ApprovalDecisionV1;
      const pressed = await inbox.press(caller, params["approval_id"] ?? "", subject_hash);
      return pressed.ok ? ok(json(await decisions.present(pressed.value))) : pressed;
    },
  },
];
