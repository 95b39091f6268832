import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The redirect target of a browser login: a server on loopback that takes one answer. Any page and any program on this
 * machine can send a request to it, so a request without the `state` of this login is refused and does not end the login.
 */
export interface LoginCallback {
  readonly url: string;
  /** The answer's parameters; undefined when the signal aborts first. */
  answer(signal: AbortSignal): Promise<URLSearchParams | undefined>;
  close(): void;
}

export async function listenForLogin(state: string): Promise<LoginCallback> {
  let settle: (found: URLSearchParams | undefined) => void = () => undefined;
  const answered = new Promise<URLSearchParams | undefined>((resolve) => {
    settle = resolve;
  });
  const server = createServer((request, response) => {
    const [asked, base] = [request.url ?? "/", "http://127.0.0.1"];
    const address = URL.canParse(asked, base) ? new URL(asked, base) : undefined;
    if (request.method !== "GET" || address?.pathname !== "/callback") {
      response.writeHead(404).end();
      return;
    }
    if (address.searchParams.get("state") !== state) {
      response.writeHead(400, { "content-type": "text/plain", connection: "close" });
      response.end("This is no answer to a login that Writ waits for.\n");
      return;
    }
    response.writeHead(200, { "content-type": "text/plain", connection: "close" });
    response.end("Writ has its answer. You can close this page.\n");
    settle(address.searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/callback`,
    answer(signal) {
      if (signal.aborted) settle(undefined);
      signal.addEventListener("abort", () => settle(undefined), { once: true });
      return answered;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
