import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The connections of a server, so that it can end without cutting off an answer. Node's own end counts a connection on which
 * nobody has finished a request as busy, and would wait for it for ever.
 */
export class Connections {
  readonly #server: Server;
  /** Requests that are not answered yet; several where a client does not wait for one before it sends the next. */
  readonly #unanswered = new Map<Socket, Set<IncomingMessage>>();
  #isEnding = false;

  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => this.#connected(socket));
    server.on("request", (request, response) => this.#asked(request, response));
  }

  /** Ends each as soon as nobody is being answered on it; most of them at once. A request that has not arrived whole is none. */
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
