import type { JsonObject, Result } from "#core/values";
import type { McpQuestions } from "./mcp-answer.ts";
import type { McpRequest } from "./mcp-request.ts";
import type { McpPage } from "./mcp-resource.ts";

/** A prompt that the client's user can choose. */
export interface McpPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly McpPromptArgument[];
}

export interface McpPromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
}

export interface McpPromptText {
  readonly kind: "prompt";
  readonly description?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: JsonObject }[];
}

export interface McpPrompts {
  list(cursor: string | undefined, request: McpRequest): Promise<Result<McpPage<McpPrompt>>>;
  /** `NOT_FOUND` where there is no prompt of this name. */
  get(name: string, args: PromptArguments, request: McpRequest): Promise<Result<McpPromptText | McpQuestions>>;
  /** Values of an argument that begin so. */
  completions(asked: McpAskedArgument, request: McpRequest): Promise<Result<readonly string[]>>;
}

export type PromptArguments = Readonly<Record<string, string>>;

export interface McpAskedArgument {
  readonly prompt: string;
  readonly name: string;
  readonly begins: string;
}
