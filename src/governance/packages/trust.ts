import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { PackageReceiptV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, ok, type Result } from "#core/values";
import type { OpenedPackage } from "./archive.ts";
import { whyNotSigned } from "./signature.ts";

/** Whose packages may be installed, by the hashes of public keys. */
export interface Trust {
  /** The key that signed Writ's own packages when it was built; null where nothing was built. */
  readonly build: string | null;
  /** The workspace's own key. */
  readonly workspace: string | null;
  /** `packages.trust_roots` of the configuration. */
  readonly roots: readonly string[];
}

export function trustedAs(key_sha256: string, trust: Trust): PackageReceiptV1["trusted_as"] | undefined {
  if (trust.roots.includes(key_sha256)) return "root";
  if (key_sha256 === trust.workspace) return "workspace";
  return key_sha256 === trust.build ? "build" : undefined;
}

/** Refuses a package that no trusted key has signed. */
export function checkTrust(
  opened: OpenedPackage,
  trust: Trust,
): Result<{ readonly trusted_as: PackageReceiptV1["trusted_as"]; readonly key_sha256: string }> {
  const { signature, manifest } = opened;
  const name = `${manifest.package_id} ${manifest.version}`;
  if (!signature) return untrusted(`${name} is not signed: build it with writ pkg build in a workspace, or with --key`);
  const why = whyNotSigned(opened.manifestBytes, signature);
  if (why) return untrusted(`${name}: ${why}`);
  const trusted_as = trustedAs(signature.key_sha256, trust);
  if (!trusted_as)
    return untrusted(
      `${name} is signed with the key ${signature.key_sha256}, which nobody here trusts: if you do, add it to packages.trust_roots in writ.yaml`,
    );
  return ok({ trusted_as, key_sha256: signature.key_sha256 });
}

/** Signs the receipt with the workspace's key: the package was trusted when it was installed. */
export function witness(receipt: PackageReceiptV1, workspaceKey: KeyObject): PackageReceiptV1 {
  return { ...receipt, witness: sign(null, receiptBytes(receipt), workspaceKey).toString("base64") };
}

export function isWitnessed(receipt: PackageReceiptV1, workspaceKey: KeyObject | null): boolean {
  if (receipt.witness === undefined || !workspaceKey) return false;
  const open = workspaceKey.type === "private" ? createPublicKey(workspaceKey) : workspaceKey;
  return verify(null, receiptBytes(receipt), open, Buffer.from(receipt.witness, "base64"));
}

function receiptBytes({ witness: _, ...receipt }: PackageReceiptV1): Buffer {
  return Buffer.from(`writ package receipt\n${canonicalJson(receipt)}`);
}

function untrusted(message: string): Result<never> {
  return err(domainError("PACKAGE_REFUSED", message, { details: { gate: "G5" } }));
}
