import type { CallToolResult } from "@modelcontextprotocol/server";
import type { DomainError } from "#core/errors";
import type { Result } from "#core/values";
import type { McpContent, McpValue } from "./offer/mcp-answer.ts";

/** The result of a call, also where it failed: a model reads it. */
export function toolResult(
  result: Result<McpValue | McpContent>,
  sanitizeError: (error: DomainError) => DomainError,
): CallToolResult {
  if (result.ok && result.value.kind === "content") return { content: result.value.content as never };
  const body = result.ok && result.value.kind === "value" ? result.value.value : failure(result, sanitizeError);
  const plain = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
  return {
    structuredContent: plain,
    content: [{ type: "text", text: JSON.stringify(plain) }],
    ...(result.ok ? {} : { isError: true }),
  };
}

function failure(result: Result<unknown>, sanitizeError: (error: DomainError) => DomainError): object {
  if (result.ok) return {};
  const { code, message, retryable } = sanitizeError(result.error);
  return { error: { code, message, retryable } };
}
