import type { PatchV1 } from "#core/contracts";
import type { AppContext } from "../kernel/app.ts";
import { pinToBase } from "./document/pin-to-base.ts";
import { readDocument } from "./read-document.ts";
import { unwrap } from "./unwrap.ts";

/** The unsettled patches: people's before workers', so that in a conflict the person's patch is applied. */
export async function readPatches(context: AppContext, patchIds: readonly string[]): Promise<readonly PatchV1[]> {
  const patches: PatchV1[] = [];
  for (const patchId of patchIds) patches.push(unwrap(await context.read.patch(context.run_id, patchId)));
  return [
    ...patches.filter((patch) => patch.author_kind !== "worker"),
    ...patches.filter((patch) => patch.author_kind === "worker"),
  ];
}

/** The same, with expected content added from the revision on which each patch was made. */
export async function readPinnedPatches(context: AppContext, patchIds: readonly string[]): Promise<readonly PatchV1[]> {
  const pins = new Map<string, ReturnType<typeof pinToBase>>();
  const pinned: PatchV1[] = [];
  for (const patch of await readPatches(context, patchIds)) {
    const base = patch.base_revision_id;
    if (base === null) {
      pinned.push(patch);
      continue;
    }
    const pin = pins.get(base) ?? pinToBase(await readDocument(context, base));
    pins.set(base, pin);
    pinned.push({ ...patch, ops: [...pin(patch.ops)] });
  }
  return pinned;
}
