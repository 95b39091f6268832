/** L1. The tools there are and the one way to call them. Knows no model and no skill; decides no policy, it asks for it. */

export { readWorkspaceFile } from "./adapters/read-file.ts";
export { type ChangedToolParts, changedTool } from "./approval-kinds/changed-tool.ts";
export { type InDoubtParts, inDoubt } from "./approval-kinds/in-doubt.ts";
export { toolCall } from "./approval-kinds/tool-call.ts";
export type { RunTurn } from "./builtin/exec.ts";
export type { WriteTurn } from "./builtin/fs-write.ts";
export { decodeText } from "./builtin/readable-path.ts";
export { type BuiltinOptions, registerBuiltins } from "./builtin/register-builtins.ts";
export { describeTools, type ToolDescription } from "./describe-tools.ts";
export { dispatch } from "./dispatch.ts";
export type { DispatchDeps } from "./dispatch-deps.ts";
export { defaultToolLimits, type ToolLimits } from "./limits.ts";
export { differences, type FieldDifference } from "./mcp/difference.ts";
export { type LoginOptions, logInToServer } from "./mcp/log-in.ts";
export { createMcpServer, type McpServer } from "./mcp/mcp-server.ts";
export { mcpTool } from "./mcp/mcp-tool.ts";
export type { McpCredentialKeeper, McpCredentials, McpOAuth } from "./mcp/oauth.ts";
export { type JudgedTool, judgeOffer, type PinState, type ToolPin } from "./mcp/pin.ts";
export { launchOf, launchText, type McpServerSpec } from "./mcp/server-spec.ts";
export { mcpToolName } from "./mcp/tool-name.ts";
export { visible } from "./mcp/visible.ts";
export { missingTools } from "./missing-tools.ts";
export { createToolRegistry, type ToolRegistry } from "./registry.ts";
export type {
  ToolAnnotations,
  ToolCall,
  ToolContext,
  ToolDef,
  ToolOutcome,
  ToolProgress,
  ToolScope,
  ToolSpec,
  Trust,
} from "./tool.ts";
