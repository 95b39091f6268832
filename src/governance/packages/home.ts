import type { PackageManifestV1, PackageReceiptV1, PackageSignatureV1 } from "#core/contracts";
import type { Sha256 } from "#core/values";

/** A tree of files with the receipts of the packages that own them: a workspace, or what Writ ships. */
export interface PackageHome {
  readonly name: "shipped" | "workspace";
  /** Where the assets lie; absolute. */
  readonly root: string;
  /** Where the receipts lie, relative to the root. */
  readonly folder: string;
}

export interface InstalledPackage {
  readonly manifest: PackageManifestV1;
  readonly manifestBytes: Uint8Array;
  readonly signature: PackageSignatureV1 | undefined;
  readonly receipt: PackageReceiptV1;
}

export type FoundFile =
  | { readonly state: "file"; readonly sha256: Sha256; readonly executable: boolean }
  | { readonly state: "missing" }
  | { readonly state: "other"; readonly what: string };

/** Everything that the gates over files judge, as it lay on disk at one moment. */
export interface HomeEvidence {
  readonly home: PackageHome;
  readonly packages: readonly InstalledPackage[];
  /** Receipts that cannot be read. */
  readonly broken: readonly { readonly package_id: string; readonly message: string }[];
  /** Every asset and every governed file. */
  readonly files: ReadonlyMap<string, FoundFile>;
  /** Files in the governed folders. */
  readonly governed: readonly string[];
}
