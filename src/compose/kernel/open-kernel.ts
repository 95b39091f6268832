import { dirname, isAbsolute, join, resolve } from "node:path";
import { type Clock, createIds, domainError, err, ok, type Random, type Result } from "#base";
import { createKernel, type Documents, fileDocuments, type Kernel, openSqliteKernel } from "#kernel";
import { shippedRegistry } from "#schemas";

export interface OpenKernel {
  readonly kernel: Kernel;
  readonly documents: Documents;
  /** Waits for what is under way, then lets go of the store. */
  close(): Promise<void>;
}

export interface KernelPlace {
  readonly root: string;
  /** `sqlite:FILE`, relative to the workspace; by default a file of the workspace itself. */
  readonly store?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** Opens the kernel's store and what stands around it. */
export function openKernel(place: KernelPlace): Result<OpenKernel> {
  const file = storeFile(place);
  if (!file.ok) return file;
  const store = openSqliteKernel(file.value, { clock: place.clock });
  if (!store.ok) return store;
  const ids = createIds(place.clock, place.random);
  const kernel = createKernel({
    store: store.value,
    clock: place.clock,
    ids,
    schemas: shippedRegistry(),
    defer: (callback) => void setImmediate(callback),
  });
  return ok({
    kernel,
    documents: fileDocuments(join(dirname(file.value), "documents"), ids),
    close: async () => {
      await kernel.drain();
      await store.value.close();
    },
  });
}

function storeFile({ root, store }: KernelPlace): Result<string> {
  if (store === undefined) return ok(join(root, "planes", "hot", "kernel.db"));
  if (store.startsWith("sqlite:") && store.length > "sqlite:".length) {
    const file = store.slice("sqlite:".length);
    return ok(isAbsolute(file) ? file : resolve(root, file));
  }
  return err(
    domainError("CONFIG_INVALID", `"${store}" is no store that this version knows`, {
      details: { hint: "use sqlite:FILE" },
    }),
  );
}
