import type { ServerResponse } from "node:http";
import { type NodeIncomingMessageLike, toNodeHandler, toWebRequest } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest, legacyStatelessFallback } from "@modelcontextprotocol/server";
import type { FastifyInstance } from "fastify";
import type { DomainError } from "#core/errors";
import { tooManyStreams } from "#core/routes";
import type { Caller } from "#core/values";
import type { RouteSurroundings } from "../http/register-route.ts";
import { needsKey } from "../http/security/authorize-route.ts";
import { recheckCredentials } from "../http/security/recheck-credentials.ts";
import { LegacySessions } from "./legacy-sessions.ts";
import { mcpServerFor } from "./mcp-server.ts";
import type { McpOffer } from "./offer/mcp-offer.ts";
import { writOffer } from "./own/writ-offer.ts";
import type { McpServerParts } from "./serving.ts";
import { stateKey } from "./state-key.ts";
import { watchedChanges } from "./watched-changes.ts";

export interface McpSurroundings
  extends Pick<RouteSurroundings, "callerOf" | "recognise" | "sendProblem" | "closing" | "streams" | "clock"> {
  /** The offer as clients are to see it; by default Writ's own. */
  readonly mcpSeen?: ((own: McpOffer) => McpOffer) | undefined;
}

/** Streamable HTTP at `/mcp`, behind the same host, origin, rate and key checks as everything else. */
export function registerMcp(app: FastifyInstance, parts: McpServerParts, around: McpSurroundings): void {
  const { callerOf, recognise, sendProblem, closing, streams, clock } = around;
  const keyRead = stateKey(parts);
  const own = writOffer(parts);
  const offer = around.mcpSeen?.(own) ?? own;
  const serverFor = (key: Uint8Array) => (caller: Caller, connection: AbortSignal) =>
    mcpServerFor(parts, { offer, caller, closing, connection, stateKey: key });
  const sessions = new LegacySessions({ clock });
  closing.addEventListener("abort", () => void sessions.close(), { once: true });
  app.route({
    method: ["GET", "POST", "DELETE"],
    url: "/mcp",
    handler: async (request, reply) => {
      const caller = callerOf(request);
      if (!caller) return sendProblem(reply, needsKey());
      const key = await keyRead;
      if (!key.ok) return sendProblem(reply, key.error);
      const make = serverFor(key.value);
      // A subscription or a call that waits may stay open, so each request counts as a stream.
      const full = streams.refusal(caller);
      if (full) return sendProblem(reply, tooManyStreams(full));
      const leave = streams.take(caller);
      const ended = new AbortController();
      const stopAsking = recheckCredentials({
        clock,
        right: "public", // each tool requires its own right
        recognise: () => recognise(request), // by the key, or as the local user
        onRefused: () => reply.raw.destroy(),
      });
      reply.raw.once("close", () => {
        stopAsking();
        leave();
        ended.abort();
      });
      const factory = () => make(caller, ended.signal);
      const raw = request.raw as NodeIncomingMessageLike;
      const isLegacy = await isLegacyRequest(await toWebRequest(raw, request.body));
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      if (isLegacy && LegacySessions.concerns(request.raw, request.body)) {
        const exchange = { caller, request: request.raw, response: reply.raw, body: request.body, serverFor: make };
        const handled = await sessions.handle(exchange);
        if (!handled.ok) refuse(reply.raw, handled.error);
        return reply;
      }
      if (isLegacy) {
        await toNodeHandler({ fetch: legacyStatelessFallback(factory) })(raw, reply.raw, request.body);
        return reply;
      }
      const bus = watchedChanges(request.body, { changes: offer.changes, caller });
      const handler = createMcpHandler(factory, { legacy: "reject", bus });
      const end = () => void handler.close(); // a subscription is given its end
      AbortSignal.any([closing, ended.signal]).addEventListener("abort", end, { once: true });
      await toNodeHandler(handler)(raw, reply.raw, request.body);
      return reply;
    },
  });
}

function refuse(response: ServerResponse, { code, message }: DomainError): void {
  const status = code === "NOT_FOUND" ? 404 : 503;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32_001, message }, id: null }));
}
