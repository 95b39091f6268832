import type { HookGroupsV1 } from "#core/contracts";
import type { ProgramRights } from "#core/machine";
import type { WritConfig } from "./writ-config.ts";

/**
 * What the configuration runs in a weaker tier than Writ asks for by itself, in words for the record of a session: the tier of
 * the workspace, then each program and module by its key. Undefined where nothing does.
 */
export function weakerTiersOf(config: WritConfig): string | undefined {
  const { sandbox, secrets, mcp, modules, hooks } = config;
  const named: (readonly [where: string, rights: ProgramRights | undefined])[] = [
    ["sandbox.minimum_tier", { tier: sandbox.minimum_tier === "T4" ? "T3" : sandbox.minimum_tier }],
    ...Object.entries(secrets).map(([name, { rights }]) => [`secrets.${name}`, rights] as const),
    ["hooks", hooks.rights],
    ...Object.entries(hooks).flatMap(([point, groups]) =>
      (Array.isArray(groups) ? (groups as readonly Partial<HookGroupsV1[number]>[]) : []).flatMap(
        ({ hooks: entries = [] }, at) =>
          entries.map(({ rights }, index) => [`hooks.${point}[${at}].hooks[${index}]`, rights] as const),
      ),
    ),
    ...Object.entries(mcp.servers).map(([name, { rights }]) => [`mcp.servers.${name}`, rights] as const),
    ...Object.entries(modules).map(([name, { rights }]) => [`modules[${JSON.stringify(name)}]`, rights] as const),
  ];
  const weaker = named.flatMap(([where, rights]) => {
    const tier = rights?.tier;
    return tier === undefined || tier === "T3" ? [] : [`${where} ${tier}`];
  });
  return weaker.length === 0 ? undefined : weaker.join(", ");
}
