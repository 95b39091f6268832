import type { DomainError } from "../errors/domain-error.ts";

/** One server-sent event. Data is JSON, so it holds no line break that could end the frame early. */
export function frame(event: string, data: unknown, id?: number | string): string {
  const named = id === undefined ? "" : `id: ${id}\n`;
  return `${named}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Proxies and browsers give up on a silent connection. */
export const keepAlive = ": keep-alive\n\n";

/** The last frame of a stream that failed. */
export function problemFrame({ code, message, retryable }: DomainError): string {
  return frame("error", { code, detail: message, retryable });
}
