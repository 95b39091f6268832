/** An authenticated caller with all grants of their roles. */
export interface Caller {
  readonly id: string;
  readonly roles: readonly string[];
  readonly grants: readonly string[];
  /** The operating system's user, an API key, or the `dev` mode of a developer at this machine. */
  readonly authenticatedBy: "local" | "api_key" | "dev";
  /** In development mode: tools that may really act, and the setting that names them. Absent: all that the grants name. */
  readonly effects?: { readonly tools: readonly string[]; readonly setting: string };
  /** The key that authenticated the caller, and its scope; later grants stay within that scope. */
  readonly key?: { readonly key_id: string; readonly scope: readonly string[] | null };
}
