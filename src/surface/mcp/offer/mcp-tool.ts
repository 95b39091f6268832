import type { JsonObject, Result } from "#core/values";
import type { McpAnswer } from "./mcp-answer.ts";
import type { McpRequest } from "./mcp-request.ts";

/** A tool of Writ's MCP server. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The right that the caller must have been granted, as for the API. */
  readonly right: string;
  /** JSON Schema of its arguments. They are checked against it before `call`. */
  readonly input: JsonObject;
  /** JSON Schema of its values; absent where they differ. */
  readonly output?: JsonObject;
  readonly isReadOnly: boolean;
  /** `only`: a client that takes no tasks cannot call it. */
  readonly asTask: "never" | "possible" | "only";
  readonly call: (args: JsonObject, request: McpRequest) => Promise<Result<McpAnswer>>;
}
