import { rm } from "node:fs/promises";
import type { Postgres } from "#core/database";
import { type Clock, ok, type Result } from "#core/values";
import { judgeStore } from "./judge-store.ts";
import { fileOfMemory, type RememberedPlace } from "./kept-checkpoint.ts";
import { type MachineMemory, machineMemory } from "./machine-memory.ts";
import { placeOfUser, type WorkspaceOfUser } from "./place-of-user.ts";

interface StoreOfUser extends WorkspaceOfUser {
  /** The database of the store; otherwise it is in the workspace's files. */
  readonly postgres: Postgres | undefined;
}

/** Where this user's machine keeps the newest checkpoint of a store: beside their trust, outside of the workspace. */
export async function memoryPlace({ postgres, ...workspace }: StoreOfUser): Promise<RememberedPlace | undefined> {
  const { root, folder } = await placeOfUser(workspace);
  const tenant = postgres?.address.tenant ?? "default";
  return folder === undefined ? undefined : { folder, root, tenant, in: postgres ? "database" : "file" };
}

/** Undefined where the user has no folder of their own. */
export async function openMemory(
  options: StoreOfUser & {
    readonly clock: Clock;
    readonly accepting?: boolean;
    readonly onNotice?: ((line: string) => void) | undefined;
  },
): Promise<MachineMemory | undefined> {
  const { clock, accepting = false, onNotice } = options;
  const place = await memoryPlace(options);
  return place && machineMemory({ ...place, clock, accepting, onNotice });
}

/** For a command that only reads: refused where the store is behind what this machine saw of it. */
export async function judgeForReading(options: StoreOfUser): Promise<Result<void>> {
  const place = await memoryPlace(options);
  return place ? judgeStore({ ...place, postgres: options.postgres }) : ok(undefined);
}

/** A workspace that was just made: what was kept of another in its folder says nothing of it. */
export async function forgetMemory(workspace: WorkspaceOfUser): Promise<void> {
  const place = await memoryPlace({ ...workspace, postgres: undefined });
  if (!place) return;
  try {
    for (const store of ["file", "database"] as const) await rm(fileOfMemory({ ...place, in: store }), { force: true });
  } catch (thrown) {
    void thrown; // where there is no such folder there is nothing to forget; what stays refuses the next command, and names its file
  }
}
