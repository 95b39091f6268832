import type { PatchV1, SchemaRegistry } from "#core/contracts";
import { type Clock, err, type IdSource, isoTime, type JsonObject, ok, type Result, type RunId } from "#core/values";
import type { ClaimTurn, ClaimWork, NewPatch, Outcomes, SubmitPatch, TurnClaim } from "./commands.ts";
import { type GroupCommit, groupCommit } from "./group-commit.ts";
import type { ClaimOffer } from "./pending-claims.ts";
import type { Lease, LeaseToken, RunRow } from "./records.ts";
import type { KernelArchive, KernelReader, KernelStore } from "./store/port.ts";
import { toTurnActions } from "./turn-actions.ts";
import { type TurnView, turnInput } from "./turn-input.ts";
import { createWakeUp, type WakeUp } from "./wake-up.ts";

/** What apps, workers, people and conductors may call. Each call resolves once its transition is durable. */
export interface Kernel {
  readonly read: KernelReader;
  readonly archive: KernelArchive;
  readonly wakeUp: WakeUp;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** How many concurrent claims of one worker are useful. */
  readonly claimsAtOnce: number;
  startRun(input: StartRunInput): Promise<Result<RunRow>>;
  submitPatch(input: PatchInput): Promise<Result<{ readonly patch_id: string; readonly repeated: boolean }>>;
  /** Given as a function, the claim is built together with its batch, with the worker's free capacity at that moment. */
  claimWork(input: ClaimInput | (() => ClaimInput)): Promise<Result<readonly Lease[]>>;
  /** The claim of an idle worker: it is part of the commit that requests work of these capabilities. */
  offerClaim(capabilities: readonly string[], input: () => ClaimInput, taken: () => void): ClaimOffer;
  completeWork(
    lease: LeaseToken,
    patches: readonly Omit<NewPatch, "patch_id">[],
    result?: JsonObject,
  ): Promise<Result<Outcomes["complete_work"]>>;
  claimTurns(input: Omit<ClaimTurn, "kind">): Promise<Result<readonly TurnClaim[]>>;
  /** The input of the app's turn for this claim. */
  turnInput(claim: TurnClaim): Promise<Result<TurnView>>;
  /** Validates the app's actions and applies all of them, or none. */
  applyTurn(claim: TurnClaim, upToSeq: number, actions: unknown): Promise<Result<Outcomes["apply_turn"]>>;
  /** Submits any command unchanged; the caller makes its ids. */
  submit: GroupCommit["submit"];
  drain(): Promise<void>;
}

export type ClaimInput = Omit<ClaimWork, "kind">;

export interface StartRunInput {
  readonly app_id: string;
  readonly objective: string;
  readonly actor_id: string;
  /** Given by a caller that may have to repeat the call. */
  readonly run_id?: RunId;
}

export interface PatchInput {
  readonly run_id: RunId;
  readonly author_kind: SubmitPatch["author_kind"];
  readonly author_id: string;
  readonly base_revision_id: NewPatch["base_revision_id"];
  readonly ops: NewPatch["ops"];
  readonly patch_id?: NewPatch["patch_id"];
  readonly lease?: LeaseToken;
}

export interface KernelOptions {
  readonly store: KernelStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly schemas: SchemaRegistry;
  readonly defer: (callback: () => void) => void;
  readonly wakeUp?: WakeUp;
  readonly maxBatch?: number;
  readonly spread?: () => number;
}

export function createKernel(options: KernelOptions): Kernel {
  const { store, clock, ids, schemas, defer } = options;
  const wakeUp = options.wakeUp ?? createWakeUp(clock);
  const commits = groupCommit({
    store,
    wakeUp,
    clock,
    defer,
    spread: options.spread,
    ...(options.maxBatch === undefined ? {} : { maxBatch: options.maxBatch }),
  });
  const namedPatches = (
    lease: LeaseToken,
    patches: readonly Omit<NewPatch, "patch_id">[],
  ): Result<readonly NewPatch[]> => {
    const made: NewPatch[] = [];
    for (const patch of patches) {
      const named = { ...patch, patch_id: ids.patchId() };
      const { run_id, lease_owner } = lease;
      const valid = checkPatch(schemas, clock, { ...named, run_id, author_kind: "worker", author_id: lease_owner });
      if (!valid.ok) return valid;
      made.push(named);
    }
    return ok(made);
  };
  return {
    read: store.read,
    archive: store.archive,
    wakeUp,
    clock,
    ids,
    claimsAtOnce: store.commitsAtOnce ?? 1,
    submit: commits.submit,
    drain: commits.drain,
    startRun: (input) =>
      commits.submit<"start_run">({
        kind: "start_run",
        run_id: input.run_id ?? ids.runId(),
        app_id: input.app_id,
        objective: input.objective,
        actor_id: input.actor_id,
      }),
    async submitPatch(input) {
      const patchId = input.patch_id ?? ids.patchId();
      const valid = checkPatch(schemas, clock, { ...input, patch_id: patchId });
      if (!valid.ok) return valid;
      const submitted = await commits.submit<"submit_patch">({
        kind: "submit_patch",
        run_id: input.run_id,
        author_kind: input.author_kind,
        author_id: input.author_id,
        patch: { patch_id: patchId, base_revision_id: input.base_revision_id, ops: input.ops },
        ...(input.lease ? { lease: input.lease } : {}),
      });
      return submitted.ok ? ok({ patch_id: patchId, repeated: submitted.value.repeated }) : submitted;
    },
    claimWork: (input) =>
      typeof input === "function"
        ? commits.submit<"claim_work">(() => ({ kind: "claim_work", ...input() }))
        : commits.submit<"claim_work">({ kind: "claim_work", ...input }),
    offerClaim: (capabilities, input, taken) =>
      commits.offer({ capabilities, taken, claim: () => ({ kind: "claim_work", ...input() }) }),
    completeWork(lease, patches, result) {
      if (patches.length === 0)
        return commits.submit<"complete_work">({ kind: "complete_work", lease, patches: noPatches, result });
      const made = namedPatches(lease, patches);
      if (!made.ok) return Promise.resolve(made);
      return commits.submit<"complete_work">({ kind: "complete_work", lease, patches: made.value, result });
    },
    claimTurns: (input) => commits.submit<"claim_turn">({ kind: "claim_turn", ...input }),
    turnInput: (claim) => turnInput(store.read, claim),
    async applyTurn(claim, upToSeq, actions) {
      const valid = schemas.validate("app_turn_actions_v1", actions);
      if (!valid.ok) return err(valid.error);
      const { run_id, turn_owner, turn_epoch } = claim;
      return commits.submit<"apply_turn">({
        kind: "apply_turn",
        turn: { run_id, turn_owner, turn_epoch },
        up_to_seq: upToSeq,
        actions: toTurnActions(valid.value, ids),
      });
    },
  };
}

const noPatches: readonly NewPatch[] = [];

/** Checks a patch against its contract before it enters the kernel. */
function checkPatch(
  schemas: SchemaRegistry,
  clock: Clock,
  patch: Pick<PatchInput, "run_id" | "author_kind" | "author_id" | "base_revision_id" | "ops"> &
    Pick<NewPatch, "patch_id">,
): Result<PatchV1> {
  return schemas.validate("patch_v1", {
    patch_id: patch.patch_id,
    run_id: patch.run_id,
    author_kind: patch.author_kind,
    author_id: patch.author_id,
    source_work_id: null,
    base_revision_id: patch.base_revision_id,
    ops: patch.ops,
    applied_in_revision_id: null,
    created_at: isoTime(clock.now()),
  });
}
