import type { Network } from "../sandbox/network-gate/network.ts";
import type { SandboxFacts } from "../sandbox/turn-sandbox.ts";
import type { Isolation } from "./isolation.ts";

/** A function of this process: nothing holds it, and what it wrote is looked at afterwards. */
export const observedOnly: Isolation = {
  tier: "T0",
  backend: "in_process",
  layers: [],
  versions: { node: process.version },
  network: true,
  self_test: "not_run",
};

/** The same, with its writes kept in a layer until they are compared. */
export const inLayer: Isolation = { ...observedOnly, layers: ["private_layer"] };

/** Of a sandboxed turn, by the network that it was granted. */
export function isolationOf(facts: SandboxFacts, network: Network): Isolation {
  if (network === "none") return facts.isolation;
  return network === "hosts" && facts.gatedIsolation ? facts.gatedIsolation : facts.openIsolation;
}
