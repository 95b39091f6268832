import type { CommandGroup } from "#core/commands";
import { policyBacktest } from "./policy-backtest.ts";
import { policyList } from "./policy-list.ts";
import { policyShadow } from "./policy-shadow.ts";

export const policy: CommandGroup<typeof policyList | typeof policyBacktest | typeof policyShadow> = {
  name: "policy",
  summary: "rules of cycles: which there are, and what others would have decided over the recorded past",
  examples: ["writ policy list", "writ policy shadow"],
  members: [policyList, policyBacktest, policyShadow],
};
