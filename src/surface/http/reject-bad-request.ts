import type { Socket } from "node:net";

/**
 * Answers bytes that are no HTTP with a status line and ends the connection. A connection without a byte ends silently:
 * browsers open connections ahead of need and would take the answer for that to their next request.
 */
export function rejectBadRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return;
  if (socket.bytesRead === 0) socket.destroy();
  else socket.end(`HTTP/1.1 ${statusOf(error.code)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function statusOf(code: string | undefined): string {
  if (code === "HPE_HEADER_OVERFLOW") return "431 Request Header Fields Too Large";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "408 Request Timeout" : "400 Bad Request";
}
