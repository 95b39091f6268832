import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The connections of a server, so that it can close without cutting off an answer. Node's own `close` counts a connection
 * without a complete request as busy and would wait for it for ever.
 */
export class Connections {
  readonly #server: Server;
  /** Unanswered requests by connection; several where a client pipelines. */
  readonly #unanswered = new Map<Socket, Set<IncomingMessage>>();
  #isEnding = false;

  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => this.#connected(socket));
    server.on("request", (request, response) => this.#asked(request, response));
  }

  /** Ends each connection once it has no unanswered request, most of them at once. An incomplete request does not count. */
  letGo(): void {
    this.#isEnding = true;
    for (const [socket, requests] of this.#unanswered)
      if (![...requests].some(({ complete }) => complete)) socket.destroy();
  }

  endAll(): void {
    this.#server.closeAllConnections();
  }

  #connected(socket: Socket): void {
    if (this.#isEnding) {
      socket.destroy();
      return;
    }
    this.#unanswered.set(socket, new Set());
    socket.once("close", () => this.#unanswered.delete(socket));
  }

  #asked(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const requests = this.#unanswered.get(socket);
    requests?.add(request);
    response.once("close", () => {
      requests?.delete(request);
      if (this.#isEnding && requests?.size === 0) socket.destroySoon();
    });
  }
}
