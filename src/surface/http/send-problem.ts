import type { FastifyReply } from "fastify";
import type { DomainError } from "#core/errors";
import type { SanitizeError } from "#core/routes";
import { problemOf, retryAfter } from "#core/routes";
import { dataPolicy } from "./security/headers.ts";

export type SendProblem = (reply: FastifyReply, error: DomainError) => FastifyReply;

/** Sends every problem document, so that all look alike and each error is sanitized. */
export function problemSender(sanitizeError: SanitizeError): SendProblem {
  return (reply, error) => send(reply, sanitizeError(error, reply.request.id));
}

function send(reply: FastifyReply, error: DomainError): FastifyReply {
  const problem = problemOf(error, reply.request.id);
  const seconds = retryAfter(error);
  if (seconds !== undefined) void reply.header("retry-after", String(seconds));
  if (problem.status === 401) void reply.header("www-authenticate", 'Bearer realm="writ"');
  const { allow } = problem.details;
  if (Array.isArray(allow)) void reply.header("allow", allow.join(", "));
  return reply
    .code(problem.status)
    .header("content-security-policy", dataPolicy)
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(problem));
}
