import { isSessionId, type SessionId } from "#core/values";

/** The name of a thread: that of the session which began it, so that a request becomes a thread when it is continued. */
export function threadOf(session_id: string): string {
  return session_id.replace(/^SES-/, "THR-");
}

/** The session that began the thread; undefined for what is no thread's name. */
export function firstSessionOf(thread_id: string): SessionId | undefined {
  const session_id = thread_id.replace(/^THR-/, "SES-");
  return thread_id.startsWith("THR-") && isSessionId(session_id) ? session_id : undefined;
}

/** A message bears the number of the order that it would be. */
export function messageOf(work_order_id: string): string {
  return `MSG-${work_order_id}`;
}

export function orderOfMessage(message_id: string): string {
  return message_id.slice("MSG-".length);
}
