import { err, ok, type Result } from "#core/values";
import type { ActSources } from "./act-sources.ts";
import { addressesOf } from "./addresses-of-config.ts";
import { rememberAsItIs, rememberUse } from "./grant-trust.ts";
import { givenUpSince } from "./kept-limits.ts";
import { notTrusted } from "./not-trusted.ts";
import { secretUsesOf } from "./secret-uses.ts";
import { trustOfWorkspace } from "./trust-of-workspace.ts";
import { isOwnWorkspace, trustPlace } from "./trust-place.ts";
import type { TrustRecord } from "./trust-store.ts";
import { ownVoucher, vouchedIn } from "./vouched-in.ts";
import { weakenedSettingsOf } from "./weakened-settings.ts";
import { writesOutside } from "./writes-outside.ts";

/** The gate before everything that a workspace declares to run: an error where this user has not agreed to it. */
export async function requireTrust(
  sources: ActSources,
  /** False for what only makes it, so that its maker may still write into it before the first use. */
  { isUse = true }: { readonly isUse?: boolean } = {},
): Promise<Result<void>> {
  const { root, store } = await trustPlace(sources);
  const record = await store?.recordOf(root);
  const asks = givenUpSince(record?.limits, sources.config).length > 0 || !(await asksForNothing(sources));
  const isOwn = await isOwnWorkspace(sources);
  const trusted = isOwn ? await requireOwn(sources, { asks, isUse, record }) : await requireAgreed(sources, asks);
  if (trusted.ok && isUse && record !== undefined) await rememberUse(sources);
  return trusted;
}

async function requireAgreed(sources: ActSources, asks: boolean): Promise<Result<void>> {
  if (!asks) return ok(undefined);
  const trust = await trustOfWorkspace(sources);
  if (!trust.ok) return trust;
  return trust.value.state === "unknown" ? err(notTrusted(trust.value)) : ok(undefined);
}

/**
 * What this user made is theirs as it was when it was first used. From then on a change is a difference to agree to once: it may
 * have come with a pull, or from a program. `WRIT_TRUST=own` says that the starter of the process also makes the changes.
 */
async function requireOwn(
  sources: ActSources,
  {
    asks,
    isUse,
    record,
  }: { readonly asks: boolean; readonly isUse: boolean; readonly record: TrustRecord | undefined },
): Promise<Result<void>> {
  const { root } = await trustPlace(sources);
  const vouched = vouchedIn(sources.env);
  if (!asks && (record?.acts.length ?? 0) === 0 && record !== undefined) return ok(undefined);
  if (vouched.includes(root) || vouched.includes(ownVoucher)) return ok(undefined);
  const trust = await trustOfWorkspace(sources);
  if (!trust.ok) return trust;
  if (trust.value.state === "unknown") return err(notTrusted(trust.value));
  if (record === undefined && isUse) await rememberAsItIs(sources, trust.value);
  return ok(undefined);
}

/** Decides without reading programs: most workspaces name nothing that needs trust. */
async function asksForNothing(sources: ActSources): Promise<boolean> {
  const { config, env } = sources;
  const { hooks, mcp, secrets, modules } = config;
  const runsNothing =
    Object.keys(hooks).length === 0 &&
    !mcp.read_mcp_json &&
    Object.keys(mcp.servers).length === 0 &&
    Object.keys(modules).length === 0 &&
    Object.values(secrets).every(({ command }) => command === undefined);
  const reachesNothing =
    addressesOf(config, env).length === 0 &&
    secretUsesOf(config).length === 0 &&
    weakenedSettingsOf(config).length === 0;
  return runsNothing && reachesNothing && (await writesOutside(sources)).length === 0;
}
