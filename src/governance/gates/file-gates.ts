import type { KeyObject } from "node:crypto";
import type { HomeEvidence } from "../packages/home.ts";
import type { Trust } from "../packages/trust.ts";
import { assetsMatch, filesOwned } from "./g0-assets.ts";
import { frameworksComplete, packagesResolve } from "./g1-resolve.ts";
import { signaturesHold } from "./g5-signatures.ts";
import type { GateVerdict } from "./gate.ts";
import type { Registries } from "./registries.ts";

/** The verdicts of the gates over files. */
export function judgeFiles(found: {
  readonly evidence: readonly HomeEvidence[];
  readonly registries: Registries;
  readonly trust: Trust;
  readonly workspaceKey: KeyObject;
}): readonly GateVerdict[] {
  const { evidence, registries, trust, workspaceKey } = found;
  const manifests = evidence.flatMap(({ packages }) => packages.map(({ manifest }) => manifest));
  return [
    assetsMatch(evidence),
    filesOwned(evidence),
    packagesResolve(manifests, registries),
    frameworksComplete(evidence, registries),
    signaturesHold(evidence, trust, workspaceKey),
  ];
}
