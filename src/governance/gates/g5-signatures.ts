import type { KeyObject } from "node:crypto";
import type { HomeEvidence, InstalledPackage } from "../packages/home.ts";
import { whyNotSigned } from "../packages/signature.ts";
import { isWitnessed, type Trust, trustedAs } from "../packages/trust.ts";
import { type Finding, type GateVerdict, verdict } from "./gate.ts";

/** G5. Every package carries a signature that holds, by a key that is trusted. */
export function signaturesHold(
  homes: readonly HomeEvidence[],
  trust: Trust,
  workspaceKey: KeyObject | null,
): GateVerdict {
  const findings: Finding[] = [];
  let checked = 0;
  for (const { home, packages } of homes)
    for (const installed of packages) {
      checked += 1;
      const why = whyUntrusted(installed, trust, home.name === "workspace" ? workspaceKey : null);
      if (why !== undefined)
        findings.push({
          subject: installed.manifest.package_id,
          message: why,
          repair: "writ pkg install it again from a source you trust",
        });
    }
  return verdict("G5", checked, findings);
}

function whyUntrusted(
  { manifestBytes, signature, receipt }: InstalledPackage,
  trust: Trust,
  key: KeyObject | null,
): string | undefined {
  if (!signature) return "it is not signed";
  const why = whyNotSigned(manifestBytes, signature);
  if (why !== undefined) return why;
  if (trustedAs(signature.key_sha256, trust) !== undefined) return undefined;
  // The key of a build is thrown away with it: after an update of Writ, the workspace's own word from the installation counts.
  const vouched =
    receipt.trusted_as === "build" && receipt.key_sha256 === signature.key_sha256 && isWitnessed(receipt, key);
  return vouched ? undefined : `it is signed with the key ${signature.key_sha256}, which nobody here trusts`;
}
