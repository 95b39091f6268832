import { shippedRegistry } from "#core/contracts";
import { openPostgres, postgresAddress } from "#core/database";
import { createIds, systemClock, systemRandom } from "#core/values";
import { createKernel, type Kernel, openPostgresKernel, postgresWakeUp } from "#runs";
import { must, queueOver, type WritQueue } from "./writ-queue.ts";

export interface OpenQueue {
  readonly kernel: Kernel;
  close(): Promise<void>;
}

export async function openPostgresQueue(url: string): Promise<OpenQueue> {
  const surroundings = { clock: systemClock, random: systemRandom };
  const postgres = await openPostgres(must(postgresAddress(url)), surroundings);
  const store = must(await openPostgresKernel(postgres, { clock: systemClock }));
  const ids = createIds(systemClock, systemRandom);
  const wakeUp = postgresWakeUp({ postgres, clock: systemClock, ids });
  const kernel = createKernel({
    store,
    clock: systemClock,
    ids,
    wakeUp,
    schemas: shippedRegistry(),
    defer: setImmediate,
  });
  return {
    kernel,
    async close() {
      await kernel.drain();
      await wakeUp.close();
      await postgres.close();
    },
  };
}

export async function postgresQueue(url: string, runCount = 1): Promise<WritQueue> {
  const { kernel, close } = await openPostgresQueue(url);
  return queueOver(kernel, runCount, close);
}
