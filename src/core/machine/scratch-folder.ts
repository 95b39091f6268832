import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

/** A folder that is there for as long as the work takes. */
export async function withScratchFolder<T>(parent: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(parent, ".writ-doctor-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
