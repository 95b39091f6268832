import type { CommandGroup } from "#core/commands";
import { policyBacktest } from "../../workflows/cli/policy-backtest.ts";
import { policyList } from "../../workflows/cli/policy-list.ts";
import { policyShadow } from "../../workflows/cli/policy-shadow.ts";
import type { AnyCommand } from "./openers.ts";

export const policy: CommandGroup<AnyCommand> = {
  name: "policy",
  summary: "rules of cycles: which there are, and what others would have decided over the recorded past",
  examples: ["writ policy list", "writ policy shadow"],
  members: [policyList, policyBacktest, policyShadow],
};
