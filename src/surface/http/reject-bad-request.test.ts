import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { rejectBadRequest } from "./reject-bad-request.ts";

/** The first line that a client gets which sent `sent` when its connection is refused for `code`. */
async function answerTo(sent: string, code: string): Promise<string> {
  const server = createServer((socket) => {
    const refuse = () => rejectBadRequest(Object.assign(new Error(code), { code }), socket);
    if (sent === "") refuse();
    else socket.once("data", refuse);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1", () => client.write(sent));
  let text = "";
  client.on("data", (piece: Buffer) => (text += piece.toString()));
  await once(client, "close");
  server.close();
  return text.split("\r\n")[0] ?? "";
}

test("a connection that a browser opened ahead of need ends without a word", async () => {
  expect(await answerTo("", "ERR_HTTP_REQUEST_TIMEOUT")).toBe("");
});

test.each([
  ["GET / HTTP/1.1\r\nHost: x\r\n", "ERR_HTTP_REQUEST_TIMEOUT", "HTTP/1.1 408 Request Timeout"],
  ["hello\r\n\r\n", "HPE_INVALID_METHOD", "HTTP/1.1 400 Bad Request"],
  ["GET / HTTP/1.1\r\n", "HPE_HEADER_OVERFLOW", "HTTP/1.1 431 Request Header Fields Too Large"],
])("%j is refused for %s", async (sent, code, answer) => {
  expect(await answerTo(sent, code)).toBe(answer);
});
