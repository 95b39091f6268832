import { canonicalJson, isJsonObject, type JsonValue, ok, type Result } from "#core/values";
import type { ToolCall } from "../models/tool-call.ts";
import type { AgentContext, DispatchOptions } from "../roles/agent-context.ts";
import { Barrier } from "../roles/barrier.ts";
import type { Said, Speaker } from "../roles/speaker.ts";
import type { Message } from "./conversation.ts";
import { cutResult } from "./cut-result.ts";
import type { CallEnding } from "./undone-calls.ts";

export interface AnsweredCall {
  readonly call: ToolCall;
  readonly message: Message;
  readonly failure: Said["toolFailure"];
  readonly ending: CallEnding;
  /** What it read, where it read a file. */
  readonly read?: Said["reads"][number];
  /** A file that it read and that is no text. */
  readonly binary?: { readonly path: string; readonly sha256: string };
}

/** Reads of one answer that run at once. */
const mostAtOnce = 8;

/**
 * Makes the calls of one answer. Calls that follow each other and only read run at once, every one announced before the first
 * starts; any other runs alone, after those before it. The results come back in the order of the calls.
 */
export async function callTools(
  context: AgentContext,
  speaker: Speaker,
  calls: readonly ToolCall[],
): Promise<Result<readonly AnsweredCall[]>> {
  const answered: AnsweredCall[] = [];
  for (const batch of batchesOf(calls, context.isReadOnly ?? (() => false))) {
    const ended = await callBatch(context, speaker, batch);
    for (const each of ended) {
      if (!each.ok) return each;
      answered.push(each.value);
    }
  }
  return ok(answered);
}

/**
 * Announced in their order, run at once, and recorded in their order: the same calls give the same record, however long each
 * of them takes.
 */
function callBatch(
  context: AgentContext,
  speaker: Speaker,
  batch: readonly ToolCall[],
): Promise<readonly Result<AnsweredCall>[]> {
  if (batch.length === 1) return Promise.all(batch.map((call) => callTool(context, speaker, call)));
  const barrier = new Barrier(batch.length);
  let before: { readonly announced: Promise<void>; readonly ended: Promise<unknown> } | undefined;
  const started = batch.map((call) => {
    const arrival = barrier.arrival();
    const previous = before;
    const ended = (async () => {
      await previous?.announced;
      try {
        return await callTool(context, speaker, call, {
          onAnnounced: () => arrival.arrive(),
          onCalled: async () => {
            await previous?.ended;
          },
        });
      } finally {
        arrival.leave();
      }
    })();
    before = { announced: arrival.counted, ended: ended.then(ignore, ignore) };
    return ended;
  });
  return Promise.all(started);
}

function ignore(): void {
  // The next call only waits for this one; its failure goes to its own caller.
}

function batchesOf(
  calls: readonly ToolCall[],
  isReadOnly: (tool: string) => boolean,
): readonly (readonly ToolCall[])[] {
  const batches: ToolCall[][] = [];
  let reading: ToolCall[] | undefined;
  for (const call of calls) {
    if (!isReadOnly(call.name)) {
      batches.push([call]);
      reading = undefined;
    } else if (reading && reading.length < mostAtOnce) reading.push(call);
    else {
      reading = [call];
      batches.push(reading);
    }
  }
  return batches;
}

function readOf(content: JsonValue): AnsweredCall["read"] {
  if (!isJsonObject(content)) return undefined;
  const { path, hash, start_line, line_count } = content;
  if (typeof path !== "string" || typeof hash !== "string") return undefined;
  const [from, count] = [Number(start_line), Number(line_count)];
  return { path, sha256: hash, lines: count > 0 ? `${from}-${from + count - 1}` : "" };
}

function isBinary(content: JsonValue): boolean {
  return isJsonObject(content) && content["binary"] === true;
}

/** A refused or failed tool is an answer to the model, not the end: it may go another way within its bounds. */
async function callTool(
  context: AgentContext,
  speaker: Speaker,
  call: ToolCall,
  how?: DispatchOptions,
): Promise<Result<AnsweredCall>> {
  const step = speaker.stepId === undefined ? {} : { step_id: speaker.stepId };
  const reply = (content: object): Message => ({
    role: "tool",
    tool_call_id: call.id,
    name: call.name,
    content: canonicalJson({ ...content, ...step }),
  });
  if (call.invalid) {
    const failure = { code: "MALFORMED_INPUT", message: `${call.invalid.message}: ${call.invalid.input}` };
    return ok({ call, message: reply({ error: failure }), failure, ending: { state: "refused", ...failure } });
  }
  const dispatched = await context.dispatch(call, speaker.role, how);
  if (dispatched.ok) {
    const { isError, error, trust } = dispatched.value;
    const content = speaker.cutsResults ? cutResult(dispatched.value.content, call.id) : dispatched.value.content;
    const failure = isError ? (error ?? { code: "TOOL_ERROR", message: `${call.name} reported an error` }) : undefined;
    const ending: CallEnding = failure ? { state: "failed", ...failure } : { state: "done" };
    const message = reply(isError ? { error: content, trust } : { result: content, trust });
    const read = isError || call.name !== "fs.read" ? undefined : readOf(dispatched.value.content);
    const binary = read && isBinary(dispatched.value.content) ? { path: read.path, sha256: read.sha256 } : undefined;
    return ok({ call, message, failure, ending, ...(read ? { read } : {}), ...(binary ? { binary } : {}) });
  }
  const { code, kind, message } = dispatched.error;
  if (kind === "log" || kind === "canceled" || kind === "internal" || kind === "doubt") return dispatched;
  const failure = { code, message };
  if (code === "ACT_HELD")
    return ok({ call, message: reply({ waits: howItWaits }), failure, ending: { state: "held" } });
  return ok({ call, message: reply({ error: failure }), failure, ending: { state: "refused", ...failure } });
}

const howItWaits =
  "Not done yet: a person is asked about it, with whatever else waits, once you have done all that does not need it. Go on, and do not call it again unless you cannot go on without it.";
