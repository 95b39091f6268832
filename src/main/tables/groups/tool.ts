import type { CommandGroup } from "#core/commands";
import { toolApprove } from "../../../effects/cli/tool-approve.ts";
import { toolList } from "../../../effects/cli/tool-list.ts";
import { toolLogin } from "../../../effects/cli/tool-login.ts";
import { toolRevoke } from "../../../effects/cli/tool-revoke.ts";
import { toolSinks } from "../../../effects/cli/tool-sinks.ts";
import { toolCall } from "../../../work/cli/tool-call.ts";
import type { AnyCommand } from "../../opened.ts";

export const tool: CommandGroup<AnyCommand> = {
  name: "tool",
  summary: "what agents can do, and how it is called",
  examples: ["writ tool list", `writ tool call echo '{"text":"hello"}'`],
  members: [toolCall, toolApprove, toolRevoke, toolLogin, toolList, toolSinks],
};
