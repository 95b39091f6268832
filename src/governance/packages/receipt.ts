import type { KeyObject } from "node:crypto";
import type { PackageReceiptV1 } from "#core/contracts";
import { canonicalJson, sha256 } from "#core/values";
import { manifestName, type OpenedPackage, signatureName } from "./archive.ts";
import type { FileChange } from "./decide-install.ts";
import type { PackageHome } from "./home.ts";
import { witness } from "./trust.ts";

/** Says when a package was installed, from which bytes, and why its key was trusted. */
export function makeReceipt(
  opened: OpenedPackage,
  how: {
    readonly trusted_as: PackageReceiptV1["trusted_as"];
    readonly key_sha256: string;
    readonly installed_at: string;
    readonly workspaceKey?: KeyObject;
  },
): PackageReceiptV1 {
  const { package_id, version } = opened.manifest;
  const plain: PackageReceiptV1 = {
    package_id,
    version,
    manifest_sha256: sha256(opened.manifestBytes),
    archive_sha256: opened.archive_sha256,
    installed_at: how.installed_at,
    trusted_as: how.trusted_as,
    key_sha256: how.key_sha256,
    schema_version: "v1",
  };
  return how.workspaceKey ? witness(plain, how.workspaceKey) : plain;
}

const receiptName = "receipt.json";
const archiveName = "archive.tar";
/** What lies beside a package's assets under `packages/`. */
export const receiptNames: readonly string[] = [manifestName, signatureName, receiptName, archiveName];

/** What an installed package leaves under `packages/`: its manifest, its signature, its archive, and the receipt over all. */
export function receiptFiles(
  home: PackageHome,
  opened: OpenedPackage,
  receipt: PackageReceiptV1,
): readonly FileChange[] {
  const { package_id } = opened.manifest;
  const file = (name: string, bytes: Uint8Array): FileChange => ({
    path: `${home.folder}/${package_id}/${name}`,
    bytes,
    executable: false,
  });
  return [
    file(manifestName, opened.manifestBytes),
    ...(opened.signatureBytes ? [file(signatureName, opened.signatureBytes)] : []),
    file(archiveName, opened.archiveBytes),
    file(receiptName, Buffer.from(`${canonicalJson(receipt)}\n`)),
  ];
}
