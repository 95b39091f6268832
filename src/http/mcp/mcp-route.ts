import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { domainError } from "#base";
import type { Caller } from "#governance";
import { tooManyStreams } from "../problem.ts";
import { sendProblem } from "../send-problem.ts";
import type { Services } from "../services.ts";
import { mcpServerFor } from "./mcp-server.ts";

/** Streamable HTTP at `/mcp`, behind the same host, origin, rate and key checks as everything else. */
export function registerMcp(
  app: FastifyInstance,
  services: Services,
  callerOf: (request: FastifyRequest) => Caller | undefined,
): void {
  app.route({
    method: ["GET", "POST", "DELETE"],
    url: "/mcp",
    handler: async (request, reply) => {
      const caller = callerOf(request);
      if (!caller)
        return sendProblem(
          reply,
          domainError("NOT_AUTHENTICATED", "this needs an API key: Authorization: Bearer writkey_…"),
        );
      // Any of them may stay open: a subscription, a call that waits. They count as the streams that they are.
      const { streams } = services;
      if (streams.count >= streams.max) return sendProblem(reply, tooManyStreams(streams.count));
      streams.count += 1;
      reply.raw.once("close", () => {
        streams.count -= 1;
      });
      const serve = toNodeHandler(createMcpHandler(() => mcpServerFor(services, caller)));
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      await serve(request.raw as NodeIncomingMessageLike, reply.raw, request.body);
      return reply;
    },
  });
}
