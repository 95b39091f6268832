import type { SchemaRegistry, WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import {
  type Clock,
  err,
  isSessionId,
  type JsonObject,
  ok,
  type Result,
  type RunId,
  type SessionId,
  sleep,
} from "#core/values";
import type { EventPages, SessionList } from "#log";
import { type LogReader, replay } from "#log";
import type { Decisions, Inbox } from "#people";
import { type Verification } from "#proof";
import type { Documents, Kernel } from "#runs";
import type { OrderInput, OrderService, Submission } from "#work";
import type { McpTool } from "./mcp-tool.ts";

const text = { type: "string", minLength: 1, maxLength: 200_000 };
const id = { type: "string", minLength: 1, maxLength: 256 };
const waitSeconds = { type: "integer", minimum: 0, maximum: 50, description: "How long to wait for the result." };
const maxDocumentBytes = 256 * 1024;

export interface McpToolParts {
  readonly orders: Pick<OrderService, "submit">;
  readonly writeWorkOrder: (prompt: string, wanted: OrderInput) => Promise<Result<WorkOrder>>;
  readonly sessions: Pick<SessionList, "read">;
  readonly pages: Pick<EventPages, "page">;
  readonly log: LogReader;
  readonly schemas: SchemaRegistry;
  readonly verifySession: (session_id: SessionId) => Promise<Verification>;
  readonly kernel: Pick<Kernel, "read">;
  readonly documents: Pick<Documents, "get">;
  readonly inbox: Pick<Inbox, "list">;
  readonly decisions: Decisions;
  readonly clock: Clock;
}

/** Writ for other agents: submit, watch, read, decide; with the rights that the API requires. */
export function mcpTools(parts: McpToolParts): readonly McpTool[] {
  const { orders, pages, sessions, decisions, clock } = parts;
  return [
    {
      name: "submit_request",
      title: "Submit a request",
      description: "Carries out a request in plain words: Writ writes the work order and takes it through its agents.",
      right: "order.submit",
      isReadOnly: false,
      input: object({ prompt: text, skill: id, profile: id, wait_seconds: waitSeconds }, ["prompt"]),
      async call(args, caller, signal) {
        const { prompt, wait_seconds, ...wanted } = args;
        const order = await parts.writeWorkOrder(words(prompt), wanted);
        return order.ok ? outcome(orders.submit(order.value, caller), wait_seconds, clock, signal) : order;
      },
    },
    {
      name: "submit_work_order",
      title: "Submit a work order",
      description: "Carries out a work order (contract work_order_v1).",
      right: "order.submit",
      isReadOnly: false,
      input: object({ work_order: { type: "object" }, wait_seconds: waitSeconds }, ["work_order"]),
      call: async ({ work_order, wait_seconds }, caller, signal) =>
        outcome(orders.submit(work_order as JsonObject, caller), wait_seconds, clock, signal),
    },
    {
      name: "list_sessions",
      title: "List sessions",
      description: "Sessions, the newest first.",
      right: "read",
      isReadOnly: true,
      input: object({ limit: { type: "integer", minimum: 1, maximum: 200 } }, []),
      async call({ limit }) {
        const listed = await sessions.read();
        if (!listed.ok) return listed;
        return ok({
          sessions: listed.value.sessions.slice(0, Number(limit ?? 20)),
          total: listed.value.sessions.length,
        });
      },
    },
    {
      name: "watch_session",
      title: "Watch a session",
      description:
        "Where a session stands, and its events after a number; waits a while for new ones if there are none.",
      right: "read",
      isReadOnly: true,
      input: object(
        {
          session_id: id,
          after: { type: "integer", minimum: 0 },
          limit: { type: "integer", minimum: 1, maximum: 200 },
          wait_seconds: waitSeconds,
        },
        ["session_id"],
      ),
      async call({ session_id, after, limit, wait_seconds }, _caller, signal) {
        const named = sessionNamed(session_id);
        if (!named.ok) return named;
        const wanted = { after: Number(after ?? 0), limit: Number(limit ?? 50), type: undefined };
        const until = clock.monotonic() + Number(wait_seconds ?? 0) * 1000;
        for (;;) {
          const page = await pages.page(named.value, wanted);
          if (!page.ok) return page;
          const isLate = clock.monotonic() >= until;
          if (page.value.events.length > 0 || page.value.closed || isLate) {
            const snapshot = await replay(named.value, {
              reader: parts.log,
              schemas: parts.schemas,
              verify: false,
            });
            if (!snapshot.ok) return snapshot;
            const { status, output, verdict, ok: isOk, cost } = snapshot.value;
            return ok({ session_id: named.value, ok: isOk, status, verdict, output, cost, ...page.value });
          }
          await sleep(clock, 250, signal);
          if (signal.aborted) return err(domainError("CANCELED", "the client disconnected or the server closes"));
        }
      },
    },
    {
      name: "verify_session",
      title: "Verify a session",
      description: "Proves a session from its bytes up.",
      right: "read",
      isReadOnly: true,
      input: object({ session_id: id }, ["session_id"]),
      async call({ session_id }) {
        const named = sessionNamed(session_id);
        return named.ok ? ok(await parts.verifySession(named.value)) : named;
      },
    },
    {
      name: "read_document",
      title: "Read a document",
      description: "The document of a run (its newest revision unless one is named), or a document by its SHA-256.",
      right: "read",
      isReadOnly: true,
      input: object({ run_id: id, revision_id: id, sha256: { type: "string", pattern: "^[0-9a-f]{64}$" } }, []),
      async call({ run_id, revision_id, sha256 }) {
        const hash =
          typeof sha256 === "string" ? ok(sha256) : await documentOf(words(run_id), revision_id, parts.kernel);
        if (!hash.ok) return hash;
        const found = await parts.documents.get(hash.value);
        if (!found.ok) return found;
        const bytes = found.value.subarray(0, maxDocumentBytes);
        return ok({
          sha256: hash.value,
          bytes: found.value.length,
          truncated: found.value.length > maxDocumentBytes,
          text: new TextDecoder().decode(bytes),
        });
      },
    },
    {
      name: "list_approvals",
      title: "Look into the inbox",
      description: "What waits for a person, with the exact bytes that each question is about.",
      right: "read",
      isReadOnly: true,
      input: object({ state: { enum: ["open", "decided", "all"] } }, []),
      async call({ state }) {
        const collected = await decisions.collect();
        if (!collected.ok) return collected;
        const found = await parts.inbox.list({ limit: 100, state: (state ?? "open") as "open" | "decided" | "all" });
        return found.ok ? ok({ approvals: found.value }) : found;
      },
    },
    {
      name: "decide_approval",
      title: "Approve or deny",
      description:
        "Decides a question of the inbox, for exactly the bytes with this hash. Whoever asked cannot decide.",
      right: "approve",
      isReadOnly: false,
      input: object(
        {
          approval_id: id,
          choice: id,
          subject_hash: { type: "string", pattern: "^[0-9a-f]{64}$" },
          reason: { type: "string", maxLength: 2000 },
        },
        ["approval_id", "choice", "subject_hash"],
      ),
      call: ({ approval_id, choice, subject_hash, reason }, caller) =>
        decisions.decide(caller, words(approval_id), {
          choice: words(choice),
          subject_hash: words(subject_hash),
          reason: words(reason),
        }),
    },
  ];
}

function object(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required: [...required], additionalProperties: false };
}

/** The tool's contract guarantees text where the argument is given. */
function words(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function sessionNamed(session_id: unknown): Result<SessionId> {
  const named = words(session_id);
  return isSessionId(named) ? ok(named) : err(domainError("NOT_FOUND", `there is no session ${JSON.stringify(named)}`));
}

async function outcome(
  submitted: Result<Submission>,
  wait: unknown,
  clock: Clock,
  signal: AbortSignal,
): Promise<Result<object>> {
  if (!submitted.ok) return submitted;
  const accepted = await submitted.value.accepted;
  if (!accepted.ok) return accepted;
  const waiting = new AbortController();
  const late = sleep(clock, Number(wait ?? 30) * 1000, AbortSignal.any([signal, waiting.signal])).then(() => undefined);
  const done = await Promise.race([submitted.value.result, late]);
  waiting.abort();
  return ok(done ?? { ...accepted.value, status: "accepted" });
}

async function documentOf(
  run_id: string,
  revision_id: unknown,
  kernel: McpToolParts["kernel"],
): Promise<Result<string>> {
  const run = await kernel.read.run(run_id as RunId);
  if (!run.ok) return run;
  const wanted = typeof revision_id === "string" ? revision_id : run.value.head_revision_id;
  if (wanted === null) return err(domainError("NOT_FOUND", `${run_id} has no revision yet`));
  const found = await kernel.read.revision(run_id as RunId, wanted);
  return found.ok ? ok(/[0-9a-f]{64}/.exec(JSON.stringify(found.value.document_ref))?.[0] ?? "") : found;
}
