import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { shippedHome } from "../../src/governance/packages/homes.ts";
import { keyHash } from "../../src/governance/packages/signature.ts";
import { archiveOf, testKey } from "./packages.ts";

/** A framework of one's own, with its registry rows, as files of a package. */
export const mockFramework = (gates: readonly string[] = ["G0", "G1", "G5"]): Record<string, string> => ({
  "frameworks/FMWK-900_Mock/manifest.yaml": stringify({
    framework_id: "FMWK-900",
    title: "Mock",
    version: "1.0.0",
    status: "active",
    ring: "resident",
    plane_id: "ho1",
    expected_specs: ["SPEC-MOCK-001"],
    path_authorizations: ["**"],
    required_gates: gates,
    agent_classes: ["RESIDENT"],
    default_agent_class: "RESIDENT",
    prompt_contracts: ["PRC-ANSWER-001"],
  }),
  "frameworks/FMWK-900_Mock/prompt_contracts/PRC-ANSWER-001.yaml": readFileSync(
    join(shippedHome.root, "frameworks/FMWK-005_Agent_Orchestration/prompt_contracts/PRC-ANSWER-001.yaml"),
    "utf8",
  ).replace("FMWK-005", "FMWK-900"),
  "registries/PKG-MOCK-001/frameworks_registry.csv":
    "framework_id,title,status,version,plane_id,path\nFMWK-900,Mock,active,1.0.0,ho1,frameworks/FMWK-900_Mock\n",
  "registries/PKG-MOCK-001/specs_registry.csv":
    "spec_id,title,framework_id,status,version\nSPEC-MOCK-001,Mock,FMWK-900,active,1.0.0\n",
});
/** It as a package, signed with the test's key. */
export const mock = (changes: object = {}): Buffer =>
  archiveOf({ id: "PKG-MOCK-001", spec: "SPEC-MOCK-001", framework: "FMWK-900", files: mockFramework(), ...changes });
/** A workspace that trusts that key. */
export const trusting: { readonly config: { readonly packages: { readonly trust_roots: readonly string[] } } } = {
  config: { packages: { trust_roots: [keyHash(testKey)] } },
};
