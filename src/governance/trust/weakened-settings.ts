import { canonicalJson, sha256 } from "#core/values";
import type { WritConfig } from "#workspace";
import type { DeclaredAction } from "./declared-action.ts";

/** Where a workspace asks for less protection than Writ gives by itself. */
export function loweredGuardsOf(config: WritConfig): readonly DeclaredAction[] {
  const { sandbox, tools, hooks, identity, packages } = config;
  const callers = Object.entries(identity.callers).filter(([, { api_key_sha256 = [] }]) => api_key_sha256.length > 0);
  const guards: readonly (readonly [where: string, isLowered: boolean, what: string])[] = [
    ["sandbox.minimum_tier", /^T[12]$/.test(sandbox.minimum_tier), `turns may run in tier ${sandbox.minimum_tier}`],
    ["sandbox.network", sandbox.network, "turns may be granted the network"],
    ["tools.allow", tools.allow.length > 0, tools.allow.join(", ")],
    ["hooks.disable", (hooks.disable ?? []).length > 0, `without ${(hooks.disable ?? []).join(", ")}`],
    ["identity.callers", callers.length > 0, `keys of ${callers.map(([name]) => name).join(", ")}`],
    ["packages.trust_roots", packages.trust_roots.length > 0, `packages signed by ${packages.trust_roots.join(", ")}`],
  ];
  return guards
    .filter(([, isLowered]) => isLowered)
    .map(([where, , what]) => ({
      does: "loosen",
      what,
      where,
      hash: sha256(canonicalJson({ where, what, identity })),
    }));
}
