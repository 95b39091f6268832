import type { JSONRPCMessage, McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Caller, ok, type Result } from "#core/values";
import { mcpServerFor } from "./mcp-server.ts";
import type { McpOffer } from "./offer/mcp-offer.ts";
import { writOffer } from "./own/writ-offer.ts";
import type { McpServerParts } from "./serving.ts";
import { stateKey } from "./state-key.ts";
import { wantedBy } from "./watched-changes.ts";

/** Speaks MCP on stdin and stdout until the client closes them or the signal aborts. */
export async function serveMcpOverStdio(
  parts: McpServerParts,
  caller: Caller,
  signal: AbortSignal,
): Promise<Result<void>> {
  const key = await stateKey(parts);
  if (!key.ok) return key;
  const offer = writOffer(parts);
  const ended = new AbortController();
  let server: McpServer | undefined;
  await new Promise<void>((resolve) => {
    const transport = new ListeningTransport((message) =>
      listen(message, { offer, parts, caller, connection: ended.signal, server: () => server }),
    );
    const handle = serveStdio(
      () => {
        // The one that answers the client's first question may be dropped for another; the last one stays.
        server = mcpServerFor(parts, { offer, caller, closing: signal, connection: ended.signal, stateKey: key.value });
        return server;
      },
      { transport },
    );
    const end = () => {
      ended.abort();
      void handle.close().then(resolve);
    };
    process.stdin.once("end", end).once("close", end);
    signal.addEventListener("abort", end, { once: true });
  });
  return ok(undefined);
}

interface Listening {
  readonly offer: McpOffer;
  readonly parts: McpServerParts;
  readonly caller: Caller;
  readonly connection: AbortSignal;
  readonly server: () => McpServer | undefined;
}

/** Watches what a `subscriptions/listen` asks for. The SDK sends of it what that subscription wants, until it is cancelled. */
function listen(message: JSONRPCMessage, { offer, parts, caller, connection, server }: Listening): void {
  if (!("method" in message) || message.method !== "subscriptions/listen") return;
  const send = {
    tools: () => server()?.server.sendToolListChanged(),
    resources: () => server()?.server.sendResourceListChanged(),
    prompts: () => server()?.server.sendPromptListChanged(),
  };
  const report = (sent: Promise<void> | undefined) =>
    void sent?.catch((thrown: unknown) => parts.onProblem(`mcp: ${String(thrown)}`));
  offer.changes.watch({
    ...wantedBy(message),
    caller,
    onList: (list) => report(send[list]()),
    onResource: (uri) => report(server()?.server.sendResourceUpdated({ uri })),
    signal: connection,
  });
}

/** The SDK keeps the subscriptions of a connection to itself, so the messages are seen on their way to it. */
class ListeningTransport extends StdioServerTransport {
  readonly #onSeen: (message: JSONRPCMessage) => void;
  #onmessage: ((message: JSONRPCMessage) => void) | undefined;

  constructor(onSeen: (message: JSONRPCMessage) => void) {
    super();
    this.#onSeen = onSeen;
    Object.defineProperty(this, "onmessage", {
      get: () => this.#onmessage,
      set: (handler: ((message: JSONRPCMessage) => void) | undefined) => {
        this.#onmessage =
          handler &&
          ((message) => {
            this.#onSeen(message);
            handler(message);
          });
      },
    });
  }
}
