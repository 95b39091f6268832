import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import type { McpServer } from "@modelcontextprotocol/server";
import { domainError } from "#core/errors";
import { type Caller, type Clock, ConcurrencyLimit, err, ok, type Result } from "#core/values";
import { RecentMessages } from "./recent-messages.ts";

export interface LegacySessionsOptions {
  readonly clock: Clock;
}

export interface LegacyExchange {
  readonly caller: Caller;
  /** A server for one session; the signal aborts when it ends. */
  readonly serverFor: (caller: Caller, connection: AbortSignal) => McpServer;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: unknown;
}

interface Session {
  readonly caller: string;
  readonly transport: NodeStreamableHTTPServerTransport;
  /** Requests that are not answered yet; open streams are among them. */
  underWay: number;
  end: () => void;
  rest: () => void;
}

const mostSessions = 256;
const callerShare = 0.25;
const idleMs = 30 * 60_000;
const retryMs = 1_000;
const header = "mcp-session-id";

/**
 * Sessions of clients that speak a revision before 2026-07-28: the server can ask them while a call waits, tell them of
 * changes, and send again what a broken stream has lost. A session belongs to one caller and ends with the client's
 * `DELETE`, after half an hour without a request, or with the server.
 */
export class LegacySessions {
  readonly #options: LegacySessionsOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #limit = new ConcurrencyLimit({ most: mostSessions, callerShare });

  constructor(options: LegacySessionsOptions) {
    this.#options = options;
  }

  /** Whether the request is of a session, or begins one. */
  static concerns(request: Pick<IncomingMessage, "headers">, body: unknown): boolean {
    if (request.headers[header] !== undefined) return true;
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    return messages.some((message) => isInitialize(message));
  }

  async handle(exchange: LegacyExchange): Promise<Result<void>> {
    const { caller, request, response, body } = exchange;
    const id = request.headers[header];
    const found = typeof id === "string" ? this.#sessions.get(id) : undefined;
    // Another caller's session is as unknown as none: its id must not be tried out.
    if (id !== undefined && found?.caller !== caller.id)
      return err(domainError("NOT_FOUND", "there is no such MCP session; begin a new one with initialize"));
    const session = found ? ok(found) : await this.#begin(exchange);
    if (!session.ok) return session;
    session.value.underWay += 1;
    response.once("close", () => {
      session.value.underWay -= 1;
      session.value.rest();
    });
    await session.value.transport.handleRequest(request, response, body);
    return ok(undefined);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  async #begin({ caller, serverFor }: LegacyExchange): Promise<Result<Session>> {
    const full = this.#limit.refusal(caller);
    if (full)
      return err(
        domainError(
          "OVERLOADED",
          `there are ${full.taken} open MCP sessions; end one, or wait until it is idle for half an hour`,
        ),
      );
    const leave = this.#limit.take(caller);
    const { clock } = this.#options;
    const connection = new AbortController();
    let cancelRest = (): void => undefined;
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: new RecentMessages(),
      retryInterval: retryMs,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, session);
      },
    });
    const session: Session = {
      caller: caller.id,
      transport,
      underWay: 0,
      end: () => {
        cancelRest();
        connection.abort();
        leave();
        if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
      },
      rest: () => {
        cancelRest();
        if (connection.signal.aborted) return;
        // A handshake that was refused leaves a session without an id, which no later request can find.
        if (transport.sessionId === undefined) void transport.close();
        else cancelRest = clock.after(idleMs, () => (session.underWay > 0 ? session.rest() : void transport.close()));
      },
    };
    const server = serverFor(caller, connection.signal);
    await server.connect(transport);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server is no event target
    server.server.onclose = () => session.end();
    return ok(session);
  }
}

function isInitialize(message: unknown): boolean {
  return typeof message === "object" && message !== null && "method" in message && message.method === "initialize";
}
