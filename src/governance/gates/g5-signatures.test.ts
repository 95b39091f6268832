import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { expect, test } from "vitest";
import type { PackageManifestV1, PackageReceiptV1 } from "#core/contracts";
import type { HomeEvidence } from "../packages/home.ts";
import { keyHash, signManifest } from "../packages/signature.ts";
import { witness } from "../packages/trust.ts";
import { signaturesHold } from "./g5-signatures.ts";

const [build, other, workspace] = [1, 2, 3].map(() => generateKeyPairSync("ed25519").privateKey) as [
  KeyObject,
  KeyObject,
  KeyObject,
];
const manifestBytes = Buffer.from("{}\n");

/** After an update of Writ: the key that signed the package is trusted no more, only the receipt vouches for it. */
function judge(receipt: Partial<PackageReceiptV1>, witnessedBy: KeyObject | null, signedBy = build) {
  const plain = { trusted_as: "build", key_sha256: keyHash(build), ...receipt } as PackageReceiptV1;
  const home: HomeEvidence = {
    home: { name: "workspace", root: "/w", folder: "packages" },
    packages: [
      {
        manifest: { package_id: "PKG-A" } as PackageManifestV1,
        manifestBytes,
        signature: signManifest(manifestBytes, signedBy),
        receipt: witnessedBy ? witness(plain, witnessedBy) : plain,
      },
    ],
    broken: [],
    files: new Map(),
    governed: [],
  };
  return signaturesHold([home], { build: null, workspace: null, roots: [] }, workspace).passed;
}

test("the workspace's signature on the receipt vouches for a package of an earlier build", () => {
  expect(judge({}, workspace)).toBe(true);
});

test("nothing else does: no signature, another's, one over another key, or over one that was no build's", () => {
  expect(judge({}, null)).toBe(false);
  expect(judge({}, other)).toBe(false);
  expect(judge({}, workspace, other)).toBe(false);
  expect(judge({ trusted_as: "root" }, workspace)).toBe(false);
});
