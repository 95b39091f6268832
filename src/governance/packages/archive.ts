import type { PackageManifestV1, PackageSignatureV1, SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, ok, parseJson, type Result, type Sha256, sha256 } from "#core/values";
import { checkAssetPath, findCollision } from "./asset-path.ts";
import { readTar } from "./tar/read-tar.ts";
import type { TarEntry } from "./tar/tar-header.ts";
import { writeTar } from "./tar/write-tar.ts";

export const manifestName = "manifest.json";
export const signatureName = "signature.json";

/** More than any set of contracts needs, and little enough to be held in memory while it is examined. */
export const archiveLimits: { readonly maxBytes: number; readonly maxEntries: number } = {
  maxBytes: 64 * 1024 * 1024,
  maxEntries: 10_000,
};

/** An archive that was read and found to be what its manifest says. */
export interface OpenedPackage {
  readonly manifest: PackageManifestV1;
  readonly manifestBytes: Uint8Array;
  readonly signature: PackageSignatureV1 | undefined;
  readonly signatureBytes: Uint8Array | undefined;
  readonly assets: readonly TarEntry[];
  readonly archiveBytes: Uint8Array;
  readonly archive_sha256: Sha256;
}

/** One form per manifest, so that its hash and its signature have one meaning. */
export function manifestBytes(manifest: PackageManifestV1): Buffer {
  return Buffer.from(`${canonicalJson(manifest)}\n`);
}

export function packArchive(
  manifest: PackageManifestV1,
  signature: PackageSignatureV1 | undefined,
  assets: readonly TarEntry[],
): Buffer {
  return writeTar([
    { path: manifestName, bytes: manifestBytes(manifest), executable: false },
    ...(signature
      ? [{ path: signatureName, bytes: Buffer.from(`${canonicalJson(signature)}\n`), executable: false }]
      : []),
    ...assets.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  ]);
}

/** Examines an archive without writing anything: its form, its names, and that it holds what its manifest lists and nothing else. */
export function openArchive(archive: Uint8Array, schemas: SchemaRegistry): Result<OpenedPackage> {
  const entries = readTar(archive, archiveLimits);
  if (!entries.ok) return entries;
  const [first, second] = entries.value;
  if (first?.path !== manifestName) return refused(`its first file is not ${manifestName}`);
  const manifest = readDocument(first.bytes, manifestName, "package_manifest_v1", schemas);
  if (!manifest.ok) return manifest;
  const signed = second?.path === signatureName;
  const signature = signed ? readDocument(second.bytes, signatureName, "package_signature_v1", schemas) : undefined;
  if (signature && !signature.ok) return signature;
  const assets = entries.value.slice(signed ? 2 : 1);
  const problem = checkAssets(manifest.value, assets);
  if (!problem.ok) return problem;
  return ok({
    manifest: manifest.value,
    manifestBytes: first.bytes,
    signature: signature?.value,
    signatureBytes: signed ? second.bytes : undefined,
    assets,
    archiveBytes: archive,
    archive_sha256: sha256(archive),
  });
}

function readDocument<Id extends "package_manifest_v1" | "package_signature_v1">(
  bytes: Uint8Array,
  name: string,
  id: Id,
  schemas: SchemaRegistry,
) {
  const text = Buffer.from(bytes).toString("utf8");
  const parsed = parseJson(text);
  if (!parsed.ok) return refused(`${name}: ${parsed.error.message}`);
  const checked = schemas.validate(id, parsed.value);
  if (!checked.ok) return refused(`${name}: ${checked.error.message}`, checked.error.details);
  if (!Buffer.from(`${canonicalJson(parsed.value)}\n`).equals(bytes))
    return refused(`${name} is not in its canonical form`);
  return checked;
}

function checkAssets(manifest: PackageManifestV1, assets: readonly TarEntry[]): Result<void> {
  const listed = new Map(manifest.assets.map((asset) => [asset.path, asset]));
  if (listed.size !== manifest.assets.length) return refused(`${manifestName} lists a file twice`);
  const present = new Set(assets.map(({ path }) => path));
  if (present.size !== assets.length) return refused("it holds a file twice");
  for (const path of [...listed.keys(), ...present]) {
    const allowed = checkAssetPath(path, manifest.package_id);
    if (!allowed.ok) return refused(allowed.error.message);
  }
  const collision = findCollision([...present]);
  if (collision)
    return refused(`${collision.map((path) => JSON.stringify(path)).join(" and ")} are one name to some systems`);
  for (const path of listed.keys()) if (!present.has(path)) return refused(`${path} is listed but not in it`);
  for (const { path, bytes, executable } of assets) {
    const asset = listed.get(path);
    if (!asset) return refused(`${path} is in it but not listed in ${manifestName}`);
    const found = sha256(bytes);
    if (found !== asset.sha256) return refused(`${path}: expected the hash ${asset.sha256}, found ${found}`);
    if (asset.bytes !== undefined && asset.bytes !== bytes.length)
      return refused(`${path}: expected ${asset.bytes} bytes, found ${bytes.length}`);
    if ((asset.executable ?? false) !== executable) return refused(`${path}: the executable bit is not as listed`);
  }
  return ok(undefined);
}

function refused(why: string, details: Readonly<Record<string, unknown>> = {}): Result<never> {
  return err(domainError("PACKAGE_REFUSED", `the package is refused: ${why}`, { details }));
}
