import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Clock, err, isJsonObject, isSessionId, ok, type Result, type SessionId, sleep } from "#core/values";
import type { LogReader } from "#log";
import type { Submission } from "#work";
import { type McpAnswer, value } from "../offer/mcp-answer.ts";
import type { McpRequest } from "../offer/mcp-request.ts";
import type { McpTasks } from "../offer/mcp-task.ts";
import { type AskClientParts, decideByForm, questionsFor } from "./ask-client.ts";
import { followOrder } from "./follow-order.ts";
import { sessionOutcome } from "./session-outcome.ts";

export interface SubmitParts extends AskClientParts {
  readonly log: LogReader;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
}

/** Time limit of a call that names none; an order that takes longer goes on without it. */
const defaultSeconds = 30;
const lookMs = 250;

export interface Awaiting {
  readonly request: McpRequest;
  /** As the client said it; it then wants the result and no task. */
  readonly waitSeconds: unknown;
  readonly tasks: Pick<McpTasks, "get">;
}

/**
 * Submits, and answers with what comes first: a task, where the client takes one; the result; a question that the client's
 * user may decide; or that the order goes on.
 */
export async function submitOrder(
  submit: () => Promise<Result<Submission>>,
  awaiting: Awaiting,
  parts: SubmitParts,
): Promise<Result<McpAnswer>> {
  const { request, waitSeconds, tasks } = awaiting;
  if (request.kept) return goOn(awaiting, parts);
  const submitted = await submit();
  if (!submitted.ok) return submitted;
  const accepted = await submitted.value.accepted;
  if (!accepted.ok) return accepted;
  const { session_id } = accepted.value;
  if (request.wantsTask || (request.client.takesTasks && waitSeconds === undefined)) {
    const task = await tasks.get(session_id, request);
    return task.ok ? ok({ kind: "task", task: task.value }) : task;
  }
  const stopTelling = followOrder(session_id, request, parts.log);
  const waiting = new AbortController();
  const limit = AbortSignal.any([request.signal, waiting.signal]);
  const late = sleep(parts.clock, msOf(waitSeconds), limit).then(() => undefined);
  const done = await Promise.race([submitted.value.result, late]);
  waiting.abort();
  await stopTelling();
  if (done?.status === "waiting" && request.client.elicits) {
    const asked = await ask(session_id, request, parts);
    if (!asked.ok || asked.value) return asked.ok && asked.value ? ok(asked.value) : (asked as Result<never>);
  }
  return ok(value(done ?? { ...accepted.value, status: "accepted" }));
}

/** The next round of a call whose questions the client's user has answered. */
async function goOn({ request, waitSeconds }: Awaiting, parts: SubmitParts): Promise<Result<McpAnswer>> {
  const { session_id, asked } = request.kept ?? {};
  if (typeof session_id !== "string" || !isSessionId(session_id) || !isJsonObject(asked))
    return err(domainError("MALFORMED_INPUT", "this round belongs to no order"));
  let isDecided = false;
  for (const [approval_id, subject_hash] of Object.entries(asked)) {
    const decided = await decideByForm(
      request.caller,
      { approval_id, subject_hash: subject_hash as never },
      { answer: request.answers[approval_id], decisions: parts.decisions },
    );
    if (!decided.ok) return decided;
    isDecided ||= decided.value;
  }
  if (!isDecided) return outcomeNow(session_id, "waiting", parts);
  return awaitSession(session_id, { request, waitSeconds }, parts);
}

/** Waits until a session that goes on elsewhere has ended, or asks again. */
async function awaitSession(
  session_id: SessionId,
  { request, waitSeconds }: Pick<Awaiting, "request" | "waitSeconds">,
  parts: SubmitParts,
): Promise<Result<McpAnswer>> {
  const { clock } = parts;
  const until = clock.monotonic() + msOf(waitSeconds);
  const stopTelling = followOrder(session_id, request, parts.log);
  try {
    for (;;) {
      const found = await sessionOutcome(session_id, parts);
      if (!found.ok) return found;
      if (found.value.snapshot.closed) return ok(value(found.value.outcome));
      const asked = await ask(session_id, request, parts);
      if (!asked.ok) return asked;
      if (asked.value) return ok(asked.value);
      if (clock.monotonic() >= until) return outcomeNow(session_id, "accepted", parts);
      await sleep(clock, lookMs, request.signal);
      if (request.signal.aborted) return err(domainError("CANCELED", "the client disconnected or the server closes"));
    }
  } finally {
    await stopTelling();
  }
}

async function ask(
  session_id: SessionId,
  { caller, client }: McpRequest,
  parts: SubmitParts,
): Promise<Result<McpAnswer | undefined>> {
  if (!client.elicits) return ok(undefined);
  const found = await questionsFor(caller, session_id, parts);
  if (!found.ok) return found;
  const { forms, open } = found.value;
  if (Object.keys(forms).length === 0) return ok(undefined);
  const hashes = open.map(({ approval_id, subject_hash }) => [approval_id, subject_hash] as const);
  const asked = Object.fromEntries(hashes.filter(([id]) => id in forms));
  return ok({ kind: "questions", questions: forms, keep: { session_id, asked } });
}

async function outcomeNow(session_id: SessionId, status: string, parts: SubmitParts): Promise<Result<McpAnswer>> {
  const found = await sessionOutcome(session_id, parts);
  if (!found.ok) return found;
  return ok(value({ ...found.value.outcome, status }));
}

function msOf(waitSeconds: unknown): number {
  return Number(waitSeconds ?? defaultSeconds) * 1000;
}
