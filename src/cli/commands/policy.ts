import type { CommandGroup } from "../command.ts";
import type { AnyCommand } from "../openers.ts";
import { policyBacktest } from "./policy-backtest.ts";
import { policyList } from "./policy-list.ts";
import { policyShadow } from "./policy-shadow.ts";

export const policy: CommandGroup<AnyCommand> = {
  name: "policy",
  summary: "rules of cycles: which there are, and what others would have decided over the recorded past",
  examples: ["writ policy list", "writ policy shadow"],
  members: [policyList, policyBacktest, policyShadow],
};
