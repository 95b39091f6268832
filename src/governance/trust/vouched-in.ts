import type { Environment } from "#workspace";

/**
 * What the starter of the process trusts where no person can be asked, separated by `:`. A digest trusts exactly what
 * `writ trust --show` shows; a real path trusts that workspace whatever it holds, for example a server's own.
 */
export const trustVariable = "WRIT_TRUST";

/** One of the entries: changes in workspaces that this user made count as made by this user. */
export const ownVoucher = "own";

export function vouchedIn(env: Environment): readonly string[] {
  return env[trustVariable]?.split(":") ?? [];
}
