import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { ActSources } from "./act-sources.ts";
import { addressesOf } from "./addresses-of-config.ts";
import type { DeclaredAction } from "./declared-action.ts";
import { trustOfWorkspace, type WorkspaceTrust } from "./trust-of-workspace.ts";
import { isOwnWorkspace } from "./trust-place.ts";
import { trustVariable } from "./vouched-in.ts";
import { loweredGuardsOf } from "./weakened-settings.ts";
import { writesOutside } from "./writes-outside.ts";

/** The gate before everything that a workspace declares to run: an error where this user has not agreed to it. */
export async function requireTrust(sources: ActSources): Promise<Result<void>> {
  if ((await asksForNothing(sources)) || (await isOwnWorkspace(sources))) return ok(undefined);
  const trust = await trustOfWorkspace(sources);
  if (!trust.ok) return trust;
  return trust.value.state === "unknown" ? err(notTrusted(trust.value)) : ok(undefined);
}

/** Decides without reading programs: most workspaces name nothing that needs trust. */
async function asksForNothing(sources: ActSources): Promise<boolean> {
  const { config, env } = sources;
  const { hooks, mcp, secrets } = config;
  const runsNothing =
    Object.keys(hooks).length === 0 &&
    !mcp.read_mcp_json &&
    Object.keys(mcp.servers).length === 0 &&
    Object.values(secrets).every(({ command }) => command === undefined);
  const reachesNothing = addressesOf(config, env).length === 0 && loweredGuardsOf(config).length === 0;
  return runsNothing && reachesNothing && (await writesOutside(sources)).length === 0;
}

export function notTrusted({ root, digest, acts, before }: WorkspaceTrust, why?: string): DomainError {
  const reason = why ?? (before ? "it has changed since it was trusted" : "this user did not make it");
  return domainError("WORKSPACE_NOT_TRUSTED", `${root} is not trusted: ${reason}, and it would ${summaryOf(acts)}`, {
    details: {
      root,
      digest,
      acts,
      ...(before ? { before } : {}),
      hint: `\`writ trust --show\` tells what that is, \`writ trust\` agrees to it; where no person can be asked, ${trustVariable}=${digest}`,
    },
  });
}

const wordings = [
  ["run", "run", "program", "programs"],
  ["start", "start", "server", "servers"],
  ["reach", "reach", "address", "addresses"],
  ["write", "write", "file outside it", "files outside it"],
  ["loosen", "lower", "guard", "guards"],
] as const;

function summaryOf(acts: readonly DeclaredAction[]): string {
  return wordings
    .map(([does, verb, one, many]) => {
      const count = acts.filter((act) => act.does === does).length;
      return count === 0 ? "" : `${verb} ${count} ${count === 1 ? one : many}`;
    })
    .filter((part) => part !== "")
    .join(", ");
}
