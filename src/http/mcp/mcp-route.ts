import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { FastifyInstance } from "fastify";
import { tooManyStreams } from "../problem.ts";
import type { RouteSurroundings } from "../register-route.ts";
import { needsKey } from "../security/authorize-route.ts";
import { recheckCredentials } from "../security/recheck-credentials.ts";
import type { Services } from "../services.ts";
import { mcpServerFor } from "./mcp-server.ts";

/** Streamable HTTP at `/mcp`, behind the same host, origin, rate and key checks as everything else. */
export function registerMcp(
  app: FastifyInstance,
  services: Services,
  around: Pick<RouteSurroundings, "callerOf" | "recognise" | "sendProblem" | "closing">,
): void {
  const { callerOf, recognise, sendProblem, closing } = around;
  app.route({
    method: ["GET", "POST", "DELETE"],
    url: "/mcp",
    handler: async (request, reply) => {
      const caller = callerOf(request);
      if (!caller) return sendProblem(reply, needsKey());
      // Any of them may stay open: a subscription, a call that waits. They count as the streams that they are.
      const { streams, clock } = services;
      const full = streams.refusal(caller);
      if (full) return sendProblem(reply, tooManyStreams(full));
      const leave = streams.take(caller);
      const stopAsking = recheckCredentials({
        clock,
        right: "public", // each tool asks for its own
        recognise: () => recognise(request), // a key was shown, or they are the person at this machine
        onRefused: () => reply.raw.destroy(),
      });
      reply.raw.once("close", () => {
        stopAsking();
        leave();
      });
      const serve = toNodeHandler(createMcpHandler(() => mcpServerFor(services, caller, closing)));
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      await serve(request.raw as NodeIncomingMessageLike, reply.raw, request.body);
      return reply;
    },
  });
}
