import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { SubmitPatch } from "../commands.ts";
import type { Transition, World } from "../transition.ts";
import { heldLease } from "./lease-expiry.ts";
import { opsHash } from "./ops-hash.ts";
import { runClosed, runNotFound } from "./refusals.ts";

/**
 * Workers and users submit patches, never canon. A worker submits under its lease; after losing it, its patch is refused.
 * The same id from the same author is the same patch.
 */
export function submitPatch(world: World, command: SubmitPatch): Result<Transition<{ readonly repeated: boolean }>> {
  const run = world.run(command.run_id);
  if (!run) return err(runNotFound(command.run_id));
  const known = world.patch(command.run_id, command.patch.patch_id);
  if (known?.author_id === command.author_id) return ok({ outcome: { repeated: true } });
  if (known)
    return err(
      domainError(
        "MALFORMED_INPUT",
        `patch ${known.patch_id} was already submitted by ${known.author_id}: use a new id`,
        {
          details: { run_id: run.run_id, patch_id: known.patch_id },
        },
      ),
    );
  if (run.status === "closed") return err(runClosed(run));
  if (command.author_kind === "worker") {
    if (!command.lease || command.lease.run_id !== command.run_id || command.lease.lease_owner !== command.author_id)
      return err(
        domainError("NOT_AUTHORIZED", `a worker submits patches under its own lease in run ${command.run_id}`, {
          details: { run_id: command.run_id, author_id: command.author_id },
        }),
      );
    const held = heldLease(world, command.lease);
    if (!held.ok) return held;
  }
  const workId = command.author_kind === "worker" && command.lease ? command.lease.work_id : null;
  return ok({
    outcome: { repeated: false },
    patches: [
      {
        patch_id: command.patch.patch_id,
        run_id: command.run_id,
        author_kind: command.author_kind,
        author_id: command.author_id,
        source_work_id: workId,
        base_revision_id: command.patch.base_revision_id,
        ops: command.patch.ops,
        applied_in_revision_id: null,
        rejected_in_revision_id: null,
        created_at: world.now,
      },
    ],
    events: [
      {
        run_id: command.run_id,
        event_type: "patch.submitted",
        actor_id: command.author_id,
        payload: {
          author_kind: command.author_kind,
          ops_hash: opsHash(command.patch.ops),
          patch_id: command.patch.patch_id,
          ...(workId === null ? {} : { work_id: workId }),
        },
      },
    ],
  });
}
