import type { KeyObject } from "node:crypto";
import type { PackageReceiptV1 } from "#core/contracts";
import { canonicalJson, sha256 } from "#core/values";
import { manifestName, type OpenedPackage, signatureName } from "./archive.ts";
import type { FileChange } from "./decide-install.ts";
import type { PackageHome } from "./home.ts";
import { witness } from "./trust.ts";

/** What an installed package leaves under `packages/`: its manifest, its signature, its archive, and the receipt over all. */
export function receiptFiles(
  home: PackageHome,
  opened: OpenedPackage,
  how: {
    readonly trusted_as: PackageReceiptV1["trusted_as"];
    readonly key_sha256: string;
    readonly installed_at: string;
    readonly workspaceKey?: KeyObject;
  },
): readonly FileChange[] {
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
  const receipt = how.workspaceKey ? witness(plain, how.workspaceKey) : plain;
  const file = (name: string, bytes: Uint8Array): FileChange => ({
    path: `${home.folder}/${package_id}/${name}`,
    bytes,
    executable: false,
  });
  return [
    file(manifestName, opened.manifestBytes),
    ...(opened.signatureBytes ? [file(signatureName, opened.signatureBytes)] : []),
    file("archive.tar", opened.archiveBytes),
    file("receipt.json", Buffer.from(`${canonicalJson(receipt)}\n`)),
  ];
}
