/** What a turn may reach: nothing, the hosts that its package names (through the gate, and no other way), or everything. */
export type Network = "none" | "hosts" | "all";

/** Where the gate listens inside the sandbox, which has a loopback of its own. */
export const gatePort = 3128;

/** How programs are told of the gate. Those that do not listen to it reach nothing. */
export function gateEnvironment(): Readonly<Record<string, string>> {
  const gate = `http://127.0.0.1:${gatePort}`;
  return { HTTP_PROXY: gate, HTTPS_PROXY: gate, http_proxy: gate, https_proxy: gate, NODE_USE_ENV_PROXY: "1" };
}
