import type { CliContext } from "#core/commands";
import { ok, type Result } from "#core/values";
import type { ActSources } from "../trust/act-sources.ts";

/** What it takes to say what a workspace would do. */
export async function trustSourcesOf(root: string, { env, clock }: CliContext): Promise<Result<ActSources>> {
  const { nodeFiles } = await import("../../core/machine/node-files.ts");
  const { readConfig } = await import("../../workspace/config/load-config.ts");
  const effective = await readConfig(root, nodeFiles, env);
  return effective.ok ? ok({ root, config: effective.value.config, env, files: nodeFiles, clock }) : effective;
}
