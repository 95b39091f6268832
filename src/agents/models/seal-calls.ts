import { maskJson, maskText, type SealedEntry, type SealedValues, sealedEntries } from "#log/redaction";
import type { ToolCall } from "./tool-call.ts";

export interface SealedCalls<Call> {
  readonly tool_calls: Call[];
  readonly sealed: SealedEntry[];
  /** Puts the handles in place of what they stand for elsewhere in the answer: a password alone in the words beside the call. */
  readonly hide: <T>(value: T) => T;
}

/**
 * The calls of an answer with handles in place of what redaction takes out: record, conversation and hooks have those,
 * dispatch opens them. On disk before the answer is recorded, so that a process that resumes the session can make the
 * call. Where nothing can be kept the arguments are redacted, and dispatch refuses the call.
 */
export async function sealCalls<Call extends ToolCall>(
  deps: { readonly redact: <T>(value: T) => T; readonly seals?: SealedValues | undefined },
  session_id: string,
  calls: readonly Call[],
): Promise<SealedCalls<Call>> {
  const tool_calls: Call[] = [];
  const sealed: SealedEntry[] = [];
  for (const call of calls) {
    const origin = { from: "call", tool: call.name, call_id: call.id } as const;
    const made = await deps.seals?.seal(call.args, { session_id, origin });
    // Redacted once more: what the log would take out of the view has to be out before it is hashed.
    tool_calls.push({ ...call, args: deps.redact(made?.ok ? made.value.view : call.args) });
    if (made?.ok) sealed.push(...sealedEntries(made.value.seals));
  }
  const opened = sealed.length > 0 ? await deps.seals?.open(tool_calls, session_id) : undefined;
  const mask = opened?.ok ? maskText(opened.value.opened) : undefined;
  return { tool_calls, sealed, hide: (value) => (mask ? maskJson(value, mask) : value) };
}
