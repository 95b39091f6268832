import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { FastifyInstance } from "fastify";
import { tooManyStreams } from "#core/routes";
import type { RouteSurroundings } from "../http/register-route.ts";
import { needsKey } from "../http/security/authorize-route.ts";
import { recheckCredentials } from "../http/security/recheck-credentials.ts";
import { type McpServerParts, mcpServerFor } from "./mcp-server.ts";

/** Streamable HTTP at `/mcp`, behind the same host, origin, rate and key checks as everything else. */
export function registerMcp(
  app: FastifyInstance,
  parts: McpServerParts,
  around: Pick<RouteSurroundings, "callerOf" | "recognise" | "sendProblem" | "closing" | "streams" | "clock">,
): void {
  const { callerOf, recognise, sendProblem, closing, streams, clock } = around;
  app.route({
    method: ["GET", "POST", "DELETE"],
    url: "/mcp",
    handler: async (request, reply) => {
      const caller = callerOf(request);
      if (!caller) return sendProblem(reply, needsKey());
      // A subscription or a call that waits may stay open, so each request counts as a stream.
      const full = streams.refusal(caller);
      if (full) return sendProblem(reply, tooManyStreams(full));
      const leave = streams.take(caller);
      const stopAsking = recheckCredentials({
        clock,
        right: "public", // each tool requires its own right
        recognise: () => recognise(request), // by the key, or as the local user
        onRefused: () => reply.raw.destroy(),
      });
      reply.raw.once("close", () => {
        stopAsking();
        leave();
      });
      const serve = toNodeHandler(createMcpHandler(() => mcpServerFor(parts, caller, closing)));
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      await serve(request.raw as NodeIncomingMessageLike, reply.raw, request.body);
      return reply;
    },
  });
}
