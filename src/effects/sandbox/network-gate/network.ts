/** Hosts that a turn may reach: none, those that its package names (only through the gate), or all. */
export type Network = "none" | "hosts" | "all";

/** Port of the gate inside the sandbox, which has a loopback of its own. */
export const gatePort = 3128;

/** Proxy variables that point programs to the gate. A program that ignores them reaches no host. */
export function gateEnvironment(): Readonly<Record<string, string>> {
  const gate = `http://127.0.0.1:${gatePort}`;
  return { HTTP_PROXY: gate, HTTPS_PROXY: gate, http_proxy: gate, https_proxy: gate, NODE_USE_ENV_PROXY: "1" };
}
