import { err } from "#core/values";
import type { LeaseToken } from "../../src/runs/kernel/records.ts";
import type { Rules } from "../../src/runs/kernel/rules/rules.ts";

/**
 * Looks over the rules' shoulder: what they accepted is held against what the row said just before, with the time the
 * store read. Boundaries of a millisecond show only here.
 */
export function watched(rules: Rules, report: (message: string) => void): Rules {
  const underLease =
    <C extends { readonly lease?: LeaseToken }, R extends { readonly ok: boolean }>(
      name: string,
      rule: (world: World, command: C, limits: Limits) => R,
    ) =>
    (world: World, command: C, limits: Limits): R => {
      const token = command.lease;
      const before = token && world.work(token.run_id, token.work_id);
      const verdict = rule(world, command, limits);
      if (verdict.ok && token && !isRepeated(verdict)) {
        const held =
          before?.status === "leased" &&
          before.lease_owner === token.lease_owner &&
          before.lease_epoch === token.lease_epoch;
        if (!held || !before)
          report(
            `${name} was accepted from epoch ${token.lease_epoch} of ${token.lease_owner}, the item is ${before?.status} under ${before?.lease_epoch} of ${before?.lease_owner}`,
          );
        else if (world.now >= (before.lease_expires_at ?? 0))
          report(`${name} was accepted at ${world.now}, the lease ended at ${before.lease_expires_at}`);
      }
      return verdict;
    };
  return {
    ...rules,
    complete_work: underLease("complete", rules.complete_work),
    fail_work: underLease("fail", rules.fail_work),
    block_work: underLease("block", rules.block_work),
    release_work: underLease("release", rules.release_work),
    extend_lease: underLease("extend", rules.extend_lease),
    submit_patch: underLease("submit", rules.submit_patch),
    sweep: (world, command, limits) => {
      const verdict = rules.sweep(world, command, limits);
      if (!verdict.ok) return err(verdict.error);
      for (const change of verdict.value.work ?? []) {
        const before = world.work(change.item.run_id, change.item.work_id);
        if (before?.status === "leased" && (before.lease_expires_at ?? 0) > world.now)
          report(`${before.work_id} was taken away at ${world.now}, its lease ends at ${before.lease_expires_at}`);
      }
      return verdict;
    },
    apply_turn: (world, command, limits) => {
      const { turn } = command;
      const before = world.run(turn.run_id);
      const verdict = rules.apply_turn(world, command, limits);
      if (verdict.ok && !verdict.value.outcome.repeated) {
        const held =
          before?.turn_owner === turn.turn_owner &&
          before.turn_epoch === turn.turn_epoch &&
          world.now < (before.turn_expires_at ?? 0);
        if (!held || !before)
          report(
            `turn ${turn.turn_epoch} of ${turn.run_id} was applied, ${before?.turn_owner} holds turn ${before?.turn_epoch}`,
          );
      }
      return verdict;
    },
    claim_turn: (world, command, limits) => {
      const verdict = rules.claim_turn(world, command, limits);
      if (!verdict.ok) return err(verdict.error);
      for (const claim of verdict.value.outcome) {
        const before = world.run(claim.run_id);
        if (before && before.fact_seq <= before.seen_seq && before.turn_owner === null)
          report(`${claim.run_id}: the app is asked again though nothing happened`);
      }
      return verdict;
    },
  };
}

type World = Parameters<Rules["complete_work"]>[0];
type Limits = Parameters<Rules["complete_work"]>[2];

function isRepeated(verdict: object): boolean {
  const { value } = verdict as { value?: { outcome?: { repeated?: boolean } } };
  return value?.outcome?.repeated === true;
}
