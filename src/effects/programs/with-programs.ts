import { nodeFiles, type Programs } from "#core/machine";
import { DisposalStack } from "#core/values";
import { loadConfig } from "#workspace";
import { openPrograms } from "./open-programs.ts";
import type { ProgramsOptions } from "./programs-options.ts";

/** Does the work with the programs of a workspace and ends what was started. Without a configuration that can be read there are none. */
export async function withPrograms<T>(
  place: Omit<ProgramsOptions, "config" | "root"> & { readonly root: string | undefined },
  work: (programs: Programs | undefined) => Promise<T>,
): Promise<T> {
  const { root } = place;
  const config = root === undefined ? undefined : await loadConfig(root, nodeFiles, place.env);
  if (root === undefined || !config?.ok) return work(undefined);
  const stack = new DisposalStack();
  try {
    return await work(openPrograms({ ...place, root, config: config.value }, stack).programs);
  } finally {
    await stack.disposeAsync();
  }
}
