import type { CommandGroup } from "../command.ts";
import type { AnyCommand } from "../openers.ts";
import { toolApprove } from "./tool-approve.ts";
import { toolCall } from "./tool-call.ts";
import { toolList } from "./tool-list.ts";
import { toolLogin } from "./tool-login.ts";
import { toolRevoke } from "./tool-revoke.ts";

export const tool: CommandGroup<AnyCommand> = {
  name: "tool",
  summary: "what agents can do, and how it is called",
  examples: ["writ tool list", `writ tool call echo '{"text":"hello"}'`],
  members: [toolCall, toolApprove, toolRevoke, toolLogin, toolList],
};
