import { resolve } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { agentWrites, agentWrote, closureOf, type ProgramSpec, programOfModule } from "#core/machine";
import { ok, type Result } from "#core/values";
import { declaredServers } from "#workspace";
import { workspaceHooks } from "../hooks/workspace-hooks.ts";
import type { ActSources } from "./act-sources.ts";

/** Files of the workspace's programs that an agent wrote since a person last agreed to what the workspace runs. */
export async function agentFilesOf(sources: ActSources): Promise<Result<readonly string[]>> {
  const { root } = sources;
  if (agentWrites(root).size === 0) return ok([]);
  const isTheirs = agentWrote(root);
  const programs = await programsOf(sources);
  if (!programs.ok) return programs;
  const found = new Set<string>();
  for (const program of programs.value) {
    const closure = closureOf({ ...program, root });
    if (!closure.ok) return closure;
    for (const { path } of closure.value.files) if (isTheirs(path)) found.add(path);
  }
  return ok([...found].sort());
}

export async function programsOf({
  root,
  config,
  env,
  clock,
  files,
}: ActSources): Promise<Result<readonly ProgramSpec[]>> {
  const schemas = shippedRegistry();
  const hooks = await workspaceHooks({ root, env, config, clock, schemas, redact: (text) => text });
  if (!hooks.ok) return hooks;
  await hooks.value.close();
  const servers = await declaredServers({ root, files, config: config.mcp, reserved: [] });
  if (!servers.ok) return servers;
  return ok([
    ...hooks.value.handlers.flatMap(({ program }) => program ?? []),
    ...Object.entries(config.secrets).flatMap(([name, { command, rights = {} }]) =>
      command ? [{ where: `secrets.${name}`, words: command, rights }] : [],
    ),
    ...servers.value.flatMap(({ program }) => program ?? []),
    ...Object.entries(config.modules).map(([name, { rights = {} }]) =>
      programOfModule({ where: `modules[${JSON.stringify(name)}]`, path: resolve(root, name), rights }),
    ),
  ]);
}
