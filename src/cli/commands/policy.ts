import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { registerBacktest } from "./policy-backtest.ts";
import { registerPolicyList } from "./policy-list.ts";
import { registerShadow } from "./policy-shadow.ts";

export function register(program: Command, context: CliContext): void {
  const policy = program
    .command("policy")
    .description("rules of cycles: which there are, and what others would have decided over the recorded past")
    .addHelpText("after", "\nExamples:\n  $ writ policy list\n  $ writ policy shadow\n");
  registerPolicyList(policy, context);
  registerBacktest(policy, context);
  registerShadow(policy, context);
}
