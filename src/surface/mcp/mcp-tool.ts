import type { Caller, JsonObject, Result } from "#core/values";

/** Something that an MCP client may ask Writ for. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What the caller must have been granted, as for the API. */
  readonly right: string;
  readonly input: JsonObject;
  readonly isReadOnly: boolean;
  readonly call: (args: JsonObject, caller: Caller, signal: AbortSignal) => Promise<Result<object>>;
}
