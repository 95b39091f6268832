import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Where a browser comes back to after a login: a door on this machine alone, open for one answer. */
export interface LoginCallback {
  readonly url: string;
  /** The answer's parameters; undefined when the signal aborts first. */
  answer(signal: AbortSignal): Promise<URLSearchParams | undefined>;
  close(): void;
}

export async function listenForLogin(): Promise<LoginCallback> {
  let tell: (found: URLSearchParams | undefined) => void = () => undefined;
  const told = new Promise<URLSearchParams | undefined>((resolve) => {
    tell = resolve;
  });
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method !== "GET" || address.pathname !== "/callback") {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/plain", connection: "close" });
    response.end("Writ has its answer. You can close this page.\n");
    tell(address.searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/callback`,
    answer(signal) {
      if (signal.aborted) tell(undefined);
      signal.addEventListener("abort", () => tell(undefined), { once: true });
      return told;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
