import type { FastifyReply } from "fastify";
import type { DomainError } from "#base";
import { problemOf, retryAfter } from "./problem.ts";
import { dataPolicy } from "./security/headers.ts";

/** Every refusal goes out through here, so that all of them look alike. */
export function sendProblem(reply: FastifyReply, error: DomainError): FastifyReply {
  const problem = problemOf(error, reply.request.id);
  const seconds = retryAfter(error);
  if (seconds !== undefined) void reply.header("retry-after", String(seconds));
  if (problem.status === 401) void reply.header("www-authenticate", 'Bearer realm="writ"');
  return reply
    .code(problem.status)
    .header("content-security-policy", dataPolicy)
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(problem));
}
