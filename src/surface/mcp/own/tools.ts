import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import {
  type Caller,
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
import type { Decisions } from "#people";
import { type Verification } from "#proof";
import type { Documents, Kernel } from "#runs";
import type { CycleOrderInput, OrderInput, OrderService } from "#work";
import { type McpAnswer, value } from "../offer/mcp-answer.ts";
import type { McpRequest } from "../offer/mcp-request.ts";
import type { McpTasks } from "../offer/mcp-task.ts";
import type { McpTool } from "../offer/mcp-tool.ts";
import { decideByForm, formFor } from "./ask-client.ts";
import { documentOfRun } from "./document-of-run.ts";
import { sessionOutcome } from "./session-outcome.ts";
import { type SubmitParts, submitOrder } from "./submit-order.ts";

const text = { type: "string", minLength: 1, maxLength: 200_000 };
const id = { type: "string", minLength: 1, maxLength: 256 };
const waitSeconds = {
  type: "integer",
  minimum: 0,
  maximum: 50,
  description: "How long to wait for the result. A client that takes tasks gets one unless it says.",
};
const maxDocumentBytes = 256 * 1024;

export interface OwnToolParts extends SubmitParts {
  readonly orders: Pick<OrderService, "submit">;
  readonly writeWorkOrder: (prompt: string, wanted: OrderInput) => Promise<Result<WorkOrder>>;
  readonly writeCycleOrder: (cycle_id: string, wanted: CycleOrderInput) => Promise<Result<WorkOrder>>;
  readonly sessions: Pick<SessionList, "read">;
  readonly pages: Pick<EventPages, "page">;
  readonly verifySession: (session_id: SessionId) => Promise<Verification>;
  readonly kernel: Pick<Kernel, "read">;
  readonly documents: Pick<Documents, "get">;
  readonly decisions: Decisions;
}

/** Writ for other agents: submit, watch, read, decide; with the rights that the API requires. */
export function ownTools(parts: OwnToolParts, tasks: Pick<McpTasks, "get">): readonly McpTool[] {
  const { orders, pages, sessions, decisions, clock } = parts;
  const submitted = (
    write: (caller: Caller) => Promise<Result<WorkOrder | JsonObject>>,
    wait: unknown,
    request: McpRequest,
  ) =>
    submitOrder(
      async () => {
        const order = await write(request.caller);
        return order.ok ? orders.submit(order.value, request.caller) : order;
      },
      { request, waitSeconds: wait, tasks },
      parts,
    );
  return [
    {
      name: "submit_request",
      title: "Submit a request",
      description: "Carries out a request in plain words: Writ writes the work order and takes it through its agents.",
      right: "order.submit",
      isReadOnly: false,
      input: object({ prompt: text, skill: id, profile: id, wait_seconds: waitSeconds }, ["prompt"]),
      asTask: "possible",
      call: ({ prompt, wait_seconds, ...wanted }, request) =>
        submitted(() => parts.writeWorkOrder(words(prompt), wanted), wait_seconds, request),
    },
    {
      name: "run_cycle",
      title: "Run a cycle",
      description: "Takes a request through a cycle of the workspace: its phases, personas and policies.",
      right: "order.submit",
      isReadOnly: false,
      input: object({ cycle_id: id, prompt: text, input: { type: "object" }, profile: id, wait_seconds: waitSeconds }, [
        "cycle_id",
      ]),
      asTask: "possible",
      call: ({ cycle_id, wait_seconds, ...wanted }, request) =>
        submitted(() => parts.writeCycleOrder(words(cycle_id), wanted), wait_seconds, request),
    },
    {
      name: "submit_work_order",
      title: "Submit a work order",
      description: "Carries out a work order (contract work_order_v1).",
      right: "order.submit",
      isReadOnly: false,
      input: object({ work_order: { type: "object" }, wait_seconds: waitSeconds }, ["work_order"]),
      asTask: "possible",
      call: ({ work_order, wait_seconds }, request) =>
        submitted(() => Promise.resolve(ok(work_order as JsonObject)), wait_seconds, request),
    },
    {
      name: "list_sessions",
      title: "List sessions",
      description: "Sessions, the newest first.",
      right: "read",
      isReadOnly: true,
      asTask: "never",
      input: object({ limit: { type: "integer", minimum: 1, maximum: 200 } }, []),
      async call({ limit }) {
        const listed = await sessions.read();
        if (!listed.ok) return listed;
        const found = listed.value.sessions;
        return ok(value({ sessions: found.slice(0, Number(limit ?? 20)), total: found.length }));
      },
    },
    {
      name: "watch_session",
      title: "Watch a session",
      description:
        "Where a session stands, and its events after a number; waits a while for new ones if there are none.",
      right: "read",
      isReadOnly: true,
      asTask: "never",
      input: object(
        {
          session_id: id,
          after: { type: "integer", minimum: 0 },
          limit: { type: "integer", minimum: 1, maximum: 200 },
          wait_seconds: waitSeconds,
        },
        ["session_id"],
      ),
      async call({ session_id, after, limit, wait_seconds }, { signal }) {
        const named = sessionNamed(session_id);
        if (!named.ok) return named;
        const wanted = { after: Number(after ?? 0), limit: Number(limit ?? 50), type: undefined };
        const until = clock.monotonic() + Number(wait_seconds ?? 0) * 1000;
        for (;;) {
          const page = await pages.page(named.value, wanted);
          if (!page.ok) return page;
          const isLate = clock.monotonic() >= until;
          if (page.value.events.length > 0 || page.value.closed || isLate) {
            const found = await sessionOutcome(named.value, parts);
            return found.ok ? ok(value({ ...found.value.outcome, ...page.value })) : found;
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
      asTask: "never",
      input: object({ session_id: id }, ["session_id"]),
      async call({ session_id }) {
        const named = sessionNamed(session_id);
        return named.ok ? ok(value(await parts.verifySession(named.value))) : named;
      },
    },
    {
      name: "read_document",
      title: "Read a document",
      description: "The document of a run (its newest revision unless one is named), or a document by its SHA-256.",
      right: "read",
      isReadOnly: true,
      asTask: "never",
      input: object({ run_id: id, revision_id: id, sha256: { type: "string", pattern: "^[0-9a-f]{64}$" } }, []),
      async call({ run_id, revision_id, sha256 }) {
        const hash =
          typeof sha256 === "string"
            ? ok(sha256)
            : await documentOfRun(
                words(run_id) as RunId,
                typeof revision_id === "string" ? revision_id : undefined,
                parts.kernel,
              );
        if (!hash.ok) return hash;
        const found = await parts.documents.get(hash.value);
        if (!found.ok) return found;
        const bytes = found.value.subarray(0, maxDocumentBytes);
        return ok(
          value({
            sha256: hash.value,
            bytes: found.value.length,
            truncated: found.value.length > maxDocumentBytes,
            text: new TextDecoder().decode(bytes),
          }),
        );
      },
    },
    {
      name: "list_approvals",
      title: "Look into the inbox",
      description: "What waits for a person, with the exact bytes that each question is about.",
      right: "read",
      isReadOnly: true,
      asTask: "never",
      input: object({ state: { enum: ["open", "decided", "all"] } }, []),
      async call({ state }) {
        const collected = await decisions.collect();
        if (!collected.ok) return collected;
        const found = await parts.inbox.list({ limit: 100, state: (state ?? "open") as "open" | "decided" | "all" });
        if (!found.ok) return found;
        return ok(value({ approvals: await Promise.all(found.value.map((approval) => decisions.present(approval))) }));
      },
    },
    {
      name: "decide_approval",
      title: "Approve or deny",
      description:
        "Decides a question of the inbox, for exactly the bytes with this hash. Without a choice the client's user is shown the question and decides. Whoever asked cannot decide.",
      right: "approve",
      isReadOnly: false,
      asTask: "never",
      input: object(
        {
          approval_id: id,
          choice: id,
          subject_hash: { type: "string", pattern: "^[0-9a-f]{64}$" },
          reason: { type: "string", maxLength: 2000 },
        },
        ["approval_id"],
      ),
      call: (args, request) => decide(args, request, parts),
    },
  ];
}

/** Decides as the arguments say; without a choice, as the client's user does. */
async function decide(
  { approval_id, choice, subject_hash, reason }: JsonObject,
  request: McpRequest,
  { decisions, inbox }: OwnToolParts,
): Promise<Result<McpAnswer>> {
  const { caller, client, kept, answers } = request;
  const named = words(approval_id);
  if (typeof choice === "string" && typeof subject_hash === "string") {
    const decided = await decisions.decide(caller, named, { choice, subject_hash, reason: words(reason) });
    return decided.ok ? ok(value(decided.value)) : decided;
  }
  if (choice !== undefined || subject_hash !== undefined || !client.elicits)
    return err(
      domainError(
        "MALFORMED_INPUT",
        "a decision is a choice with the subject_hash of what was shown; without both, the client has to be able to ask its user (elicitation)",
      ),
    );
  const found = await inbox.find(named);
  if (!found.ok) return found;
  if (kept) {
    const shown = { approval_id: named, subject_hash: words(kept["subject_hash"]) };
    const decided = await decideByForm(caller, shown, { answer: answers[named], decisions });
    if (!decided.ok) return decided;
    const now = await inbox.find(named);
    return now.ok ? ok(value(now.value)) : now;
  }
  const form = formFor(caller, found.value, { inbox, decisions });
  if (!form.ok) return form;
  return ok({
    kind: "questions",
    questions: { [named]: form.value },
    keep: { subject_hash: found.value.subject_hash },
  });
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
