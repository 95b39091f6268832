import type { RunId } from "#core/values";
import type { Command } from "./commands.ts";

/** The run of a command; undefined for claims and sweeps, whose runs the store chooses. */
export function runOf(command: Command): RunId | undefined {
  switch (command.kind) {
    case "start_run":
    case "pause_run":
    case "continue_run":
    case "cancel_run":
    case "request_work":
    case "submit_patch":
      return command.run_id;
    case "extend_lease":
    case "complete_work":
    case "fail_work":
    case "block_work":
    case "release_work":
      return command.lease.run_id;
    case "extend_turn":
    case "apply_turn":
    case "fail_turn":
      return command.turn.run_id;
    case "claim_work":
    case "claim_turn":
    case "sweep":
      return undefined;
  }
}
