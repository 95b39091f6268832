import { dirname } from "node:path";
import { openDatabase, type Postgres } from "#core/database";
import { makeRoom } from "#core/machine";
import type { Clock, DisposalStack, Random, Result } from "#core/values";
import { ok } from "#core/values";
import type { Secrets } from "#workspace";
import { storePlace } from "#workspace";
import { openPostgresSharedStore } from "./postgres-shared-store.ts";
import { type LostStore, rebuildLostStore } from "./rebuild-lost-store.ts";
import { type SharedStore } from "./shared-store.ts";
import { openSharedStore } from "./sqlite-shared-store.ts";

export interface OpenShared {
  readonly store: SharedStore;
  /** The database of many machines, where there is one. */
  readonly postgres: Postgres | undefined;
}

/** Opens what the processes of a workspace hold in common, wherever the configuration says it is. The stack closes it. */
export async function openShared(
  where: string,
  options: Omit<LostStore, "clock"> & {
    readonly root: string;
    readonly clock: Clock;
    readonly random: Random;
    readonly secrets: Pick<Secrets, "fill">;
  },
  stack: DisposalStack,
): Promise<Result<OpenShared>> {
  const place = await storePlace(where, options.root, options.secrets);
  if (!place.ok) return place;
  if (place.value.kind === "sqlite") {
    makeRoom(dirname(place.value.file));
    const whole = await rebuildLostStore(place.value.file, options);
    if (!whole.ok) return whole;
    const store = openSharedStore(place.value.file, options.clock);
    if (!store.ok) return store;
    stack.defer(() => store.value.close());
    return ok({ store: store.value, postgres: undefined });
  }
  const opened = await openDatabase(place.value.address, options);
  if (!opened.ok) return opened;
  const postgres = opened.value;
  stack.defer(() => postgres.close());
  const store = await openPostgresSharedStore(postgres, options);
  return store.ok ? ok({ store: store.value, postgres }) : store;
}
