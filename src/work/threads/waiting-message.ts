import { isJsonObject, ok, parseJson, type Result } from "#core/values";
import type { SealedValues } from "#log/redaction";
import type { OrderInput } from "../orders/write-work-order.ts";
import type { StoredMessage } from "./store/thread-store.ts";

/** A message that waits, as the store holds it. Secrets in its text are behind handles of the session that ran when it came. */
export interface WaitingMessage {
  readonly text: string;
  readonly sealed_in: string;
  readonly caller_id: string;
  readonly key_id?: string;
  readonly wanted: OrderInput;
}

export async function waitingText(
  seals: SealedValues,
  text: string,
  message: Omit<WaitingMessage, "text">,
): Promise<Result<string>> {
  const sealed = await seals.seal(text, { session_id: message.sealed_in, origin: { from: "order" } });
  return sealed.ok ? ok(JSON.stringify({ ...message, text: sealed.value.view })) : sealed;
}

export function waitingOf({ waiting }: StoredMessage): WaitingMessage | undefined {
  const parsed = waiting === null ? undefined : parseJson(waiting);
  return parsed?.ok && isJsonObject(parsed.value) ? (parsed.value as unknown as WaitingMessage) : undefined;
}

/** Its text, with what is secret in it behind handles of this session. */
export async function textFor(
  seals: SealedValues,
  message: WaitingMessage,
  session_id: string,
): Promise<Result<string>> {
  if (message.sealed_in === session_id) return ok(message.text);
  const opened = await openText(seals, message);
  if (!opened.ok) return opened;
  const sealed = await seals.seal(opened.value, { session_id, origin: { from: "order" } });
  return sealed.ok ? ok(sealed.value.view) : sealed;
}

/** Its text as it was written. */
export async function openText(seals: SealedValues, { text, sealed_in }: WaitingMessage): Promise<Result<string>> {
  const opened = await seals.open(text, sealed_in);
  return opened.ok ? ok(opened.value.value) : opened;
}
