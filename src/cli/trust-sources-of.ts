import { ok, type Result } from "#base";
import type { ActSources } from "#compose";
import type { CliContext } from "./context.ts";

/** What it takes to say what a workspace would do. */
export async function trustSourcesOf(root: string, { env, clock }: CliContext): Promise<Result<ActSources>> {
  const { nodeFiles, readConfig } = await import("#compose");
  const effective = await readConfig(root, nodeFiles, env);
  return effective.ok ? ok({ root, config: effective.value.config, env, files: nodeFiles, clock }) : effective;
}
