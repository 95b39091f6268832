import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { removeTreeInSlices } from "./remove-tree.ts";

/** A folder that exists for the duration of the work. */
export async function withScratchFolder<T>(parent: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(parent, ".writ-doctor-"));
  try {
    return await work(folder);
  } finally {
    await removeTreeInSlices(folder);
  }
}
