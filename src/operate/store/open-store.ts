import { join } from "node:path";
import type { Postgres } from "#core/database";
import { keepReserve } from "#core/machine";
import { type DisposalStack, ok, type Result } from "#core/values";
import type { SecretParts } from "#governance";
import type { SealedValues } from "#log/redaction";
import { createSealVault, type WorkspaceParts } from "#workspace";
import { openShared } from "./open-shared.ts";
import type { SharedStore } from "./shared-store.ts";

export interface StoreParts {
  /** What several processes hold in common. */
  readonly store: SharedStore;
  /** The database of many machines, where the workspace is on one. */
  readonly postgres: Postgres | undefined;
  /** What redaction took out and a later call may need. */
  readonly seals: SealedValues;
}

export interface StoreOptions {
  /** Gets, in one line, what a person should know before anything acts: that the shared store was lost and rebuilt. */
  readonly onNotice?: ((line: string) => void) | undefined;
}

/** Opens the shared store; one that was lost is rebuilt from the events first. */
export async function openStore(
  parts: WorkspaceParts & SecretParts & StoreOptions,
  stack: DisposalStack,
): Promise<Result<StoreParts>> {
  const { root, clock, random, config, secrets, key, onNotice } = parts;
  const lost = {
    root,
    clock,
    random,
    secrets,
    rebuild: async () => {
      const { rebuildFromEvents } = await import("./rebuild-from-events.ts"); // loaded only where a store was lost
      return rebuildFromEvents({ root, clock, budget: config.workspace_budget, key });
    },
    onNotice,
  };
  const shared = await openShared(config.store, lost, stack);
  if (!shared.ok) return shared;
  const { store } = shared.value;
  if (!shared.value.postgres) keepReserve(join(root, "planes", "hot"), config.limits.free_disk_bytes);
  const { redactor } = secrets;
  const keepMs = config.redaction.keep_sealed_hours * 3_600_000;
  return ok({ ...shared.value, seals: createSealVault({ store, redactor, key, clock, random, keepMs }) });
}
