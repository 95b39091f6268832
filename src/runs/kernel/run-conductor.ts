import { type DomainError, domainError, messageOf } from "#core/errors";
import { type Clock, err, ok, type Result } from "#core/values";
import type { App } from "./app.ts";
import type { TurnClaim } from "./commands.ts";
import type { Documents } from "./documents.ts";
import type { Kernel } from "./kernel.ts";
import { raceAbort } from "./race-abort.ts";
import { pauseBetween } from "./renew-leases.ts";
import { retryUntil } from "./retry-until.ts";

export interface ConductorOptions {
  readonly kernel: Kernel;
  readonly conductor_id: string;
  readonly apps: readonly App[];
  readonly documents: Documents;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Turns at once, of different runs; 8 unless said. */
  readonly concurrency?: number;
  /** How long a claim on a run lasts without a heartbeat. */
  readonly turnLeaseMs?: number;
  /** Between two heartbeats; at most a third of the claim. */
  readonly heartbeatMs?: number;
  /** How long an app may think. */
  readonly turnTimeoutMs?: number;
  readonly pollMs?: number;
  /** How long running turns may continue after the signal aborts. */
  readonly graceMs?: number;
  /** How often expired leases are swept while no worker claims. */
  readonly sweepMs?: number;
  readonly onProblem?: (problem: DomainError) => void;
}

/**
 * Runs the turns of apps when there are new facts, applies their actions, and returns expired leases to the queue. Any number
 * of conductors may run at once: the claim on a run serialises its turns, the epoch fences them.
 */
export async function runConductor(options: ConductorOptions): Promise<void> {
  const { kernel, conductor_id, signal, clock, documents } = options;
  const apps = new Map(options.apps.map((app) => [app.app_id, app]));
  const app_ids = [...apps.keys()].sort();
  const tiers = Object.fromEntries(options.apps.flatMap(({ app_id, tier }) => (tier ? [[app_id, tier]] : [])));
  const concurrency = options.concurrency ?? 8;
  const turnMs = options.turnLeaseMs ?? 30_000;
  const timeoutMs = options.turnTimeoutMs ?? 600_000;
  const pollMs = options.pollMs ?? 250;
  const sweepMs = options.sweepMs ?? 1_000;
  const report = options.onProblem ?? (() => undefined);
  const listener = kernel.wakeUp.listen(app_ids.map((app) => `turn:${app}` as const));
  const running = new Set<Promise<void>>();
  const thinking = new Set<AbortController>();
  let freed: (() => void) | undefined;
  let sweptAt = Number.NEGATIVE_INFINITY;
  /** The grace period has ended: a turn that ends now was cut off by this conductor. */
  let isOver = false;

  const conduct = async (claim: TurnClaim): Promise<void> => {
    const { run_id, turn_owner, turn_epoch } = claim;
    const turn = { run_id, turn_owner, turn_epoch };
    const controller = new AbortController();
    thinking.add(controller);
    let until = clock.monotonic() + turnMs;
    let stopBeating = beat();
    const stopTimer = clock.after(timeoutMs, () => controller.abort());
    const answer = await ask(claim, controller.signal);
    stopTimer();
    stopBeating();
    thinking.delete(controller);
    if (!answer.ok) return isOver && controller.signal.aborted ? giveUp(ending, true) : giveUp(answer.error);
    const applied = await retryUntil(() => kernel.applyTurn(claim, answer.value.upToSeq, answer.value.actions), {
      clock,
      until: () => until,
      report,
    });
    // The rules refused the app's actions; the claim itself still holds.
    if (
      !applied.ok &&
      !applied.error.retryable &&
      applied.error.code !== "LEASE_LOST" &&
      applied.error.code !== "RUN_CLOSED"
    )
      await giveUp(applied.error);

    async function giveUp({ code, message }: DomainError, handed_back = false): Promise<void> {
      const failed = { kind: "fail_turn", turn, code, reason: message, handed_back } as const;
      await retryUntil(() => kernel.submit<"fail_turn">(failed), { clock, until: () => until, report });
    }

    async function extend(): Promise<void> {
      const asked = clock.monotonic();
      const extended = await kernel.submit<"extend_turn">({ kind: "extend_turn", turn, turn_ms: turnMs });
      if (extended.ok) until = asked + turnMs;
      else if (!extended.error.retryable || clock.monotonic() >= until) controller.abort();
    }

    function beat(): () => void {
      return clock.after(pauseBetween(turnMs, options.heartbeatMs), () => {
        void extend();
        stopBeating = beat();
      });
    }
  };

  /** Runs the app. A crash, a timeout or a missing document fails the turn, not the conductor. */
  const ask = async (
    claim: TurnClaim,
    turnSignal: AbortSignal,
  ): Promise<Result<{ readonly upToSeq: number; readonly actions: unknown }>> => {
    const app = apps.get(claim.app_id);
    if (!app) return err(domainError("NOT_FOUND", `no app ${claim.app_id} is installed here`));
    const view = await kernel.turnInput(claim);
    if (!view.ok) return view;
    try {
      const answer = app.turn(view.value.input, {
        run_id: claim.run_id,
        read: kernel.read,
        documents,
        failures: claim.turn_failures,
        signal: turnSignal,
      });
      const actions = await raceAbort(answer, turnSignal, timedOut);
      if (actions === timedOut) return err(domainError("TIMEOUT", `the app ${claim.app_id} did not answer in time`));
      const missing = await missingDocument(actions, documents);
      return missing ?? ok({ upToSeq: view.value.upToSeq, actions });
    } catch (thrown) {
      return err(domainError("INTERNAL", `the app ${claim.app_id} threw: ${messageOf(thrown)}`, { cause: thrown }));
    }
  };

  while (!signal.aborted) {
    if (clock.monotonic() - sweptAt >= sweepMs) {
      sweptAt = clock.monotonic();
      const swept = await kernel.submit<"sweep">({ kind: "sweep", limit: 1_000 });
      if (!swept.ok) report(swept.error);
    }
    const limit = concurrency - running.size;
    if (limit === 0) {
      const slot = new Promise<void>((resolve) => {
        freed = resolve;
      });
      await raceAbort(slot, signal, undefined);
      continue;
    }
    const claimed = await kernel.claimTurns({ app_ids, turn_owner: conductor_id, turn_ms: turnMs, limit, tiers });
    if (!claimed.ok) report(claimed.error);
    else
      for (const claim of claimed.value) {
        const turn = conduct(claim).finally(() => {
          running.delete(turn);
          freed?.();
        });
        running.add(turn);
      }
    if (!claimed.ok || claimed.value.length < limit) await listener.wait(Math.min(pollMs, sweepMs), signal);
  }
  listener.close();
  const stopGrace = clock.after(options.graceMs ?? 10_000, () => {
    isOver = true;
    for (const controller of thinking) controller.abort();
  });
  await Promise.all(running);
  stopGrace();
}

const timedOut = Symbol("timed out");
const ending = domainError("CANCELED", "the conductor ends; the next one asks the app again");

/** Refuses a revision whose document is not in the store, so that canon points only to stored documents. */
async function missingDocument(answer: unknown, documents: Documents): Promise<Result<never> | undefined> {
  for (const hash of namedDocuments(answer)) {
    const known = await documents.has(hash);
    if (!known.ok) return known;
    if (!known.value)
      return err(
        domainError("NOT_FOUND", `the revision names document ${hash}, which was never put`, {
          details: { sha256: hash },
        }),
      );
  }
  return undefined;
}

function namedDocuments(answer: unknown): readonly string[] {
  const actions = field(answer, "actions");
  if (!Array.isArray(actions)) return [];
  return actions
    .map((action) => field(field(action, "document_ref"), "sha256"))
    .filter((hash) => typeof hash === "string");
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
