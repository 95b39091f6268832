import { canonicalJson, sha256 } from "#core/values";
import type { Environment, WritConfig } from "#workspace";
import { selectProfile } from "#workspace";
import type { DeclaredAction } from "./declared-action.ts";

/**
 * Whom a workspace would have this machine speak to. A vendor's own address asks for no trust; another one gets the key
 * and every prompt. What the person's own environment names is no word of the workspace.
 */
export function addressesOf(config: WritConfig, env: Environment): readonly DeclaredAction[] {
  const { store, telemetry } = config;
  const acts = ["default", ...Object.keys(config.profiles)].flatMap((name) => modelServer(config, name));
  if (!store.startsWith("sqlite:") && !env["WRIT_STORE"]) acts.push(reach(withoutPassword(store), "store", store));
  if (telemetry.endpoint !== null) acts.push(reach(telemetry.endpoint, "telemetry.endpoint", telemetry));
  return acts;
}

function modelServer(config: WritConfig, name: string): DeclaredAction[] {
  const profile = selectProfile(config, name);
  if (!profile.ok || profile.value.provider === "scripted" || profile.value.base_url === null) return [];
  const { provider, base_url, api_key, headers } = profile.value;
  const where = name === "default" ? "base_url" : `profiles.${name}.base_url`;
  return [reach(base_url, where, { provider, base_url, api_key, headers })];
}

function reach(what: string, where: string, decides: unknown): DeclaredAction {
  return { does: "reach", what, where, hash: sha256(canonicalJson(decides)) };
}

/** A password stands there by reference; where it does not, it is not repeated on a screen. */
function withoutPassword(address: string): string {
  return address.replace(/(:\/\/[^\s:@/]*:)(?!\$\{secret:)[^@]*@/, "$1…@");
}
