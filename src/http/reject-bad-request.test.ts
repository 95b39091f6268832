import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { rejectBadRequest } from "./reject-bad-request.ts";

/** What a client hears that said `said` when its connection is refused for `code`. */
async function heard(said: string, code: string): Promise<string> {
  const server = createServer((socket) => {
    const refuse = () => rejectBadRequest(Object.assign(new Error(code), { code }), socket);
    if (said === "") refuse();
    else socket.once("data", refuse);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1", () => client.write(said));
  let text = "";
  client.on("data", (piece: Buffer) => (text += piece.toString()));
  await once(client, "close");
  server.close();
  return text.split("\r\n")[0] ?? "";
}

test("a connection that a browser opened ahead of need ends without a word", async () => {
  expect(await heard("", "ERR_HTTP_REQUEST_TIMEOUT")).toBe("");
});

test.each([
  ["GET / HTTP/1.1\r\nHost: x\r\n", "ERR_HTTP_REQUEST_TIMEOUT", "HTTP/1.1 408 Request Timeout"],
  ["hello\r\n\r\n", "HPE_INVALID_METHOD", "HTTP/1.1 400 Bad Request"],
  ["GET / HTTP/1.1\r\n", "HPE_HEADER_OVERFLOW", "HTTP/1.1 431 Request Header Fields Too Large"],
])("whoever said %j is told %s", async (said, code, answer) => {
  expect(await heard(said, code)).toBe(answer);
});
