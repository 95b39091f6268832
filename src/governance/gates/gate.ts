import type { FrameworkManifest, GateReportV1 } from "#core/contracts";

/** One gate's verdict, readable by people and programs. */
export type GateVerdict = GateReportV1["gates"][number];
export type GateId = GateVerdict["gate"];
export type Finding = GateVerdict["findings"][number];

export const gateTitles: Readonly<Record<GateId, string>> = {
  G0A: "every asset declared, hashes match",
  G0B: "every governed file owned by exactly one package",
  G1: "package, spec and framework resolve",
  "G1-COMPLETE": "each framework has its expected specs and assets",
  G2: "work orders valid and authorized",
  G3: "path authorizations respected",
  G4: "acceptance recorded",
  G5: "signatures hold and are trusted",
  G6: "ledger integrity",
};

export const gateIds: readonly GateId[] = ["G0A", "G0B", "G1", "G1-COMPLETE", "G2", "G3", "G4", "G5", "G6"];

/** Gates that look at files alone; the others read what happened. */
export const fileGates: readonly GateId[] = ["G0A", "G0B", "G1", "G1-COMPLETE", "G5"];

/** A framework's `required_gates` in full: G0 is G0A and G0B. */
export function gatesOf(required: FrameworkManifest["required_gates"] = []): readonly GateId[] {
  const wanted = new Set(required.flatMap((gate): readonly GateId[] => (gate === "G0" ? ["G0A", "G0B"] : [gate])));
  return gateIds.filter((gate) => wanted.has(gate));
}

export function verdict(gate: GateId, checked: number, findings: readonly Finding[]): GateVerdict {
  return { gate, title: gateTitles[gate], passed: findings.length === 0, checked, findings: [...findings] };
}
