import type { Caller } from "#core/values";
import type { McpPrompts } from "./mcp-prompt.ts";
import type { McpResources } from "./mcp-resource.ts";
import type { McpTasks } from "./mcp-task.ts";
import type { McpTool } from "./mcp-tool.ts";

/** Everything that an MCP server has for its clients. */
export interface McpOffer {
  readonly instructions: string;
  readonly tools: readonly McpTool[];
  readonly resources: McpResources;
  readonly prompts: McpPrompts;
  readonly tasks: McpTasks;
  readonly changes: McpChanges;
}

export type McpList = "tools" | "resources" | "prompts";

/** Tells clients that asked for it what has changed. */
export interface McpChanges {
  /** Until the signal aborts. A list or resource of which nothing is known is silent. */
  watch(wanted: McpWatch): void;
}

export interface McpWatch {
  readonly caller: Caller;
  readonly lists: readonly McpList[];
  /** Addresses of resources. */
  readonly uris: readonly string[];
  readonly onList: (list: McpList) => void;
  readonly onResource: (uri: string) => void;
  readonly signal: AbortSignal;
}
