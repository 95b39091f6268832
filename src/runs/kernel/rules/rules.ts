import { type Result, unreachable } from "#core/values";
import type { Command, CommandKind, CommandOf, Outcomes } from "../commands.ts";
import type { KernelLimits } from "../limits.ts";
import type { Transition, World } from "../transition.ts";
import { applyTurn } from "./apply-turn.ts";
import { claimTurn } from "./claim-turn.ts";
import { cancelRun } from "./close-run.ts";
import { completeWork } from "./complete-work.ts";
import { extendLease } from "./extend-lease.ts";
import { extendTurn } from "./extend-turn.ts";
import { failTurn } from "./fail-turn.ts";
import { blockWork, failWork } from "./fail-work.ts";
import { leaseWork } from "./lease-work.ts";
import { continueRun, pauseRun } from "./pause-run.ts";
import { requestWork } from "./request-work.ts";
import { releaseWork, sweepLeases } from "./requeue-work.ts";
import { startRun } from "./start-run.ts";
import { submitPatch } from "./submit-patch.ts";

/** One pure function per command: takes the current rows, the command and the limits; returns the changes or a refusal. */
export type Rules = {
  readonly [K in CommandKind]: (
    world: World,
    command: CommandOf<K>,
    limits: KernelLimits,
  ) => Result<Transition<Outcomes[K]>>;
};

export const kernelRules: Rules = {
  start_run: startRun,
  pause_run: pauseRun,
  continue_run: continueRun,
  cancel_run: cancelRun,
  request_work: requestWork,
  claim_work: leaseWork,
  extend_lease: extendLease,
  complete_work: completeWork,
  fail_work: failWork,
  block_work: blockWork,
  release_work: releaseWork,
  submit_patch: submitPatch,
  sweep: sweepLeases,
  claim_turn: claimTurn,
  extend_turn: extendTurn,
  apply_turn: applyTurn,
  fail_turn: failTurn,
};

export function decide(
  rules: Rules,
  world: World,
  command: Command,
  limits: KernelLimits,
): Result<Transition<Outcomes[CommandKind]>> {
  switch (command.kind) {
    case "start_run":
      return rules.start_run(world, command, limits);
    case "pause_run":
      return rules.pause_run(world, command, limits);
    case "continue_run":
      return rules.continue_run(world, command, limits);
    case "cancel_run":
      return rules.cancel_run(world, command, limits);
    case "request_work":
      return rules.request_work(world, command, limits);
    case "claim_work":
      return rules.claim_work(world, command, limits);
    case "extend_lease":
      return rules.extend_lease(world, command, limits);
    case "complete_work":
      return rules.complete_work(world, command, limits);
    case "fail_work":
      return rules.fail_work(world, command, limits);
    case "block_work":
      return rules.block_work(world, command, limits);
    case "release_work":
      return rules.release_work(world, command, limits);
    case "submit_patch":
      return rules.submit_patch(world, command, limits);
    case "sweep":
      return rules.sweep(world, command, limits);
    case "claim_turn":
      return rules.claim_turn(world, command, limits);
    case "extend_turn":
      return rules.extend_turn(world, command, limits);
    case "apply_turn":
      return rules.apply_turn(world, command, limits);
    case "fail_turn":
      return rules.fail_turn(world, command, limits);
    default:
      return unreachable(command);
  }
}
