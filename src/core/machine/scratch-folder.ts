import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

/** A folder that exists for the duration of the work. */
export async function withScratchFolder<T>(parent: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(parent, ".writ-doctor-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
