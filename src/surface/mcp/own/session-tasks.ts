import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, isSessionId, ok, type Result, type SessionId } from "#core/values";
import type { LogReader } from "#log";
import { covers } from "#people";
import type { HaltControl } from "#work";
import { type McpTask, value } from "../offer/mcp-answer.ts";
import type { McpRequest } from "../offer/mcp-request.ts";
import type { McpTasks } from "../offer/mcp-task.ts";
import { type AskClientParts, decideByForm, questionsFor } from "./ask-client.ts";
import { sessionOutcome } from "./session-outcome.ts";

export interface SessionTaskParts extends AskClientParts {
  readonly log: LogReader;
  readonly schemas: SchemaRegistry;
  readonly halts: Pick<HaltControl, "halt" | "halts">;
}

const pollIntervalMs = 1_000;

/**
 * Every session is a task: its id is the task's, and it can be asked after for as long as the session is kept, also when the
 * server was started anew since. What the session asks of a person, the task asks of those who may decide it.
 */
export function sessionTasks(parts: SessionTaskParts): McpTasks {
  return {
    get: (taskId, request) => taskOf(taskId, request, parts),
    async update(taskId, answers, request) {
      const named = sessionNamed(taskId);
      if (!named.ok) return named;
      const open = await parts.inbox.list({ state: "open", session_id: named.value, limit: 20 });
      if (!open.ok) return open;
      for (const approval of open.value) {
        const answer = answers[approval.approval_id];
        if (answer === undefined) continue;
        const decided = await decideByForm(request.caller, approval, { answer, decisions: parts.decisions });
        if (!decided.ok) return decided;
      }
      return ok(undefined);
    },
    async cancel(taskId, { caller }) {
      const named = sessionNamed(taskId);
      if (!named.ok) return named;
      if (!covers(caller.grants, "session.halt"))
        return err(
          domainError("NOT_AUTHORIZED", `${caller.id} may not do this: no role of theirs grants "session.halt"`),
        );
      const found = await sessionOutcome(named.value, parts);
      if (!found.ok) return unknownTask(taskId);
      if (found.value.snapshot.closed) return ok(undefined);
      return parts.halts.halt(named.value, "cancelled by an MCP client", caller);
    },
  };
}

async function taskOf(taskId: string, request: McpRequest, parts: SessionTaskParts): Promise<Result<McpTask>> {
  const named = sessionNamed(taskId);
  if (!named.ok) return named;
  const found = await sessionOutcome(named.value, parts);
  if (!found.ok) return found.error.code === "NOT_FOUND" ? unknownTask(taskId) : found;
  const { snapshot, outcome } = found.value;
  const { caller, client } = request;
  // Whether a session is there is not for a caller to know who may not read it.
  if (!covers(caller.grants, "read") && !(await isOf(caller.id, named.value, parts))) return unknownTask(taskId);
  const base = {
    taskId,
    createdAt: snapshot.started_at ?? "",
    lastUpdatedAt: snapshot.last_at ?? snapshot.started_at ?? "",
    ttlMs: null,
    pollIntervalMs,
  };
  if (snapshot.closed)
    return snapshot.status === "canceled"
      ? ok({ ...base, status: "cancelled", statusMessage: snapshot.reason ?? "it was stopped" })
      : ok({ ...base, status: "completed", result: ok(value(outcome)) });
  const halts = await parts.halts.halts();
  if (!halts.ok) return halts;
  const halt = halts.value.find(({ session_id }) => session_id === null || session_id === taskId);
  if (halt) return ok({ ...base, status: "cancelled", statusMessage: `halted by ${halt.by}: ${halt.reason}` });
  const asked = await questionsFor(caller, named.value, parts);
  if (!asked.ok) return asked;
  const [first] = asked.value.open;
  if (client.elicits && Object.keys(asked.value.forms).length > 0)
    return ok({
      ...base,
      status: "input_required",
      questions: asked.value.forms,
      statusMessage: first?.title ?? "a person has to decide",
    });
  const waits = first && `waits for a person: ${first.title} (${first.approval_id})`;
  return ok({ ...base, status: "working", ...(waits === undefined ? {} : { statusMessage: waits }) });
}

/** Whether the session carries out an order of this caller. */
async function isOf(caller: string, session_id: SessionId, { log }: SessionTaskParts): Promise<boolean> {
  for await (const event of log.read(session_id)) {
    if (!event.ok) return false;
    if (event.value.type === "session.start") return event.value.payload.caller_id === caller;
  }
  return false;
}

function sessionNamed(taskId: string): Result<SessionId> {
  return isSessionId(taskId) ? ok(taskId) : unknownTask(taskId);
}

function unknownTask(taskId: string): Result<never> {
  return err(domainError("NOT_FOUND", `there is no task ${JSON.stringify(taskId)}`));
}
