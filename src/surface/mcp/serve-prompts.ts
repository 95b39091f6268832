import { type GetPromptResult, type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Result } from "#core/values";
import { asked } from "./input-required.ts";
import { protocolError } from "./protocol-error.ts";
import type { Serving } from "./serving.ts";

/** Values that one completion answers with, as the protocol limits them. */
const mostValues = 100;

/** `prompts/list`, `prompts/get`, and `completion/complete` for arguments of prompts and variables of addresses. */
export function servePrompts({ server }: McpServer, serving: Serving): void {
  const { prompts, resources } = serving.offer;
  const or = <T>(result: Result<T>, where: string): T => {
    if (result.ok) return result.value;
    throw protocolError(result.error, { where, sanitizeError: serving.sanitizeError });
  };
  server.setRequestHandler("prompts/list", async ({ params }, context) => {
    const page = or(await prompts.list(params?.cursor, serving.requestOf(context)), "prompts/list");
    return {
      prompts: page.items.map((prompt) => ({ ...prompt, arguments: [...prompt.arguments] })),
      ...(page.next === undefined ? {} : { nextCursor: page.next }),
    };
  });
  server.setRequestHandler("prompts/get", async ({ params: { name, arguments: args } }, context) => {
    const found = or(await prompts.get(name, args ?? {}, serving.requestOf(context, name)), "prompts/get");
    if (found.kind === "questions") return asked(found, { serving, context, name });
    const { description, messages } = found;
    return { ...(description === undefined ? {} : { description }), messages: [...messages] } as GetPromptResult;
  });
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument } }, context) => {
    const request = serving.requestOf(context);
    const begins = argument.value;
    const found =
      ref.type === "ref/prompt"
        ? await prompts.completions({ prompt: ref.name, name: argument.name, begins }, request)
        : ref.type === "ref/resource"
          ? await resources.completions({ uriTemplate: ref.uri, name: argument.name, begins }, request)
          : noReference();
    const values = or(found, "completion/complete");
    return {
      completion: {
        values: values.slice(0, mostValues),
        total: values.length,
        hasMore: values.length > mostValues,
      },
    };
  });
}

function noReference(): Result<readonly string[]> {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "values are completed for a prompt or a resource template");
}
