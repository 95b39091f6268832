import type { RunId } from "#core/values";
import type { KernelStore } from "../../src/runs/kernel/store/port.ts";
import type { Model } from "./kernel-model.ts";

/** The model and the kernel say the same, or the test ends here. */
export function agree(what: string, expected: unknown, found: unknown): void {
  if (expected !== found)
    throw new Error(`${what}: the model says ${String(expected)}, the kernel says ${String(found)}`);
}

/** The tables at the end are what the model says. */
export async function compare(store: KernelStore, model: Model): Promise<void> {
  for (const [id, run] of model.runs) {
    const read = await store.read.run(id as RunId);
    const items = await store.read.workItems(id as RunId);
    const patches = await store.read.patches(id as RunId);
    if (!read.ok || !items.ok || !patches.ok) throw new Error("cannot read");
    agree(`${id} status`, run.status, read.value.status);
    agree(`${id} reason`, run.reason, read.value.close_reason);
    agree(`${id} head`, run.head, read.value.head_revision_id);
    agree(`${id} items`, run.items.size, items.value.length);
    for (const item of items.value) agree(`${item.work_id} status`, run.items.get(item.work_id)?.status, item.status);
    for (const patch of patches.value)
      agree(`${patch.patch_id} applied in`, run.patches.get(patch.patch_id), patch.applied_in_revision_id);
  }
}
