import { type InputRequiredResult, inputRequired, type ServerContext } from "@modelcontextprotocol/server";
import type { McpQuestions } from "./offer/mcp-answer.ts";
import type { Serving } from "./serving.ts";

export interface Answering {
  readonly serving: Serving;
  readonly context: ServerContext;
  readonly name: string;
}

/** The questions of a round, with what the next one needs. */
export async function asked(
  { questions, keep }: McpQuestions,
  { serving, context, name }: Answering,
): Promise<InputRequiredResult> {
  return inputRequired({
    inputRequests: questions as never,
    ...(keep ? { requestState: await serving.codec.mint({ about: name, keep }, context) } : {}),
  });
}
