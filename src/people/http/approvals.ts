import type { ApprovalDecisionV1 } from "#core/contracts";
import { integer, json, listOf, pageSize, plainGet, type Route, text } from "#core/routes";
import { ok } from "#core/values";
import type { Approval } from "../approvals/approval.ts";
import type { Decisions } from "../approvals/decisions.ts";
import type { Inbox } from "../approvals/inbox.ts";

export interface ApprovalRouteParts {
  readonly inbox: Pick<Inbox, "find" | "list">;
  readonly decisions: Decisions;
}

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
      return ok(json({ approvals: found.value, next }));
    },
  },
  {
    ...plainGet,
    path: "/api/v1/approvals/:approval_id",
    tag: "approvals",
    summary: "One question, with the exact bytes that it is about",
    right: "read",
    query: {},
    headers: {},
    answer: { status: 200, description: "The question.", schema: "approval_v1" },
    otherAnswers: [],
    async handle({ inbox }, { params }) {
      const found = await inbox.find(params["approval_id"] ?? "");
      return found.ok ? ok(json(found.value)) : found;
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
      const { choice, subject_hash, reason = "", result } = body as ApprovalDecisionV1;
      const input = {
        choice,
        subject_hash,
        reason,
        ...(result === undefined ? {} : { result: result as Approval["result"] }),
      };
      const decided = await decisions.decide(caller, params["approval_id"] ?? "", input);
      return decided.ok ? ok(json(decided.value)) : decided;
    },
  },
];
