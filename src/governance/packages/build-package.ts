import type { KeyObject } from "node:crypto";
import type { PackageManifestV1, SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, isJsonObject, ok, type Result, sha256 } from "#core/values";
import { manifestBytes, openArchive, packArchive } from "./archive.ts";
import { signManifest } from "./signature.ts";
import type { TarEntry } from "./tar/tar-header.ts";

export interface BuiltPackage {
  readonly manifest: PackageManifestV1;
  readonly archive: Buffer;
  readonly archive_sha256: string;
  readonly key_sha256: string | null;
}

/**
 * From a draft of the manifest and the files beside it to an archive. The list of assets is made from the files; where the
 * draft has one of its own, it must name the same files, and a hash that it gives must match. What comes out is opened again
 * as an installer would, so that nothing is built that could not be installed.
 */
export function buildPackage(
  draft: Readonly<Record<string, unknown>>,
  files: readonly TarEntry[],
  options: { readonly schemas: SchemaRegistry; readonly key?: KeyObject | undefined },
): Result<BuiltPackage> {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const assets = sorted.map(({ path, bytes, executable }) => ({
    path,
    sha256: sha256(bytes),
    bytes: bytes.length,
    ...(executable ? { executable } : {}),
  }));
  const merged = mergeListed(draft["assets"], assets);
  if (!merged.ok) return merged;
  const manifest = options.schemas.validate("package_manifest_v1", {
    ...draft,
    assets: merged.value,
    schema_version: "v1",
  });
  if (!manifest.ok)
    return err(
      domainError("PACKAGE_REFUSED", `manifest.json: ${manifest.error.message}`, { details: manifest.error.details }),
    );
  const signature = options.key ? signManifest(manifestBytes(manifest.value), options.key) : undefined;
  const archive = packArchive(manifest.value, signature, sorted);
  const opened = openArchive(archive, options.schemas);
  if (!opened.ok) return opened;
  return ok({
    manifest: manifest.value,
    archive,
    archive_sha256: opened.value.archive_sha256,
    key_sha256: signature?.key_sha256 ?? null,
  });
}

/** Classifications come from the draft, everything else from the files. */
function mergeListed(
  listed: unknown,
  found: readonly PackageManifestV1["assets"][number][],
): Result<readonly object[]> {
  if (!Array.isArray(listed)) return ok(found);
  const byPath = new Map(
    listed.flatMap((each: unknown): [string, Readonly<Record<string, unknown>>][] =>
      isJsonObject(each) && typeof each["path"] === "string" ? [[each["path"], each]] : [],
    ),
  );
  const merged: object[] = [];
  for (const asset of found) {
    const named = byPath.get(asset.path);
    if (!named) return refused(`${asset.path} is in the folder, but the manifest's assets do not name it`);
    if (named["sha256"] !== undefined && named["sha256"] !== asset.sha256)
      return refused(
        `${asset.path}: the manifest says ${JSON.stringify(named["sha256"])}, found ${asset.sha256}; leave the hash out and it is filled in`,
      );
    byPath.delete(asset.path);
    const classification = named["classification"];
    merged.push({ ...asset, ...(classification === undefined ? {} : { classification }) });
  }
  const [missing] = byPath.keys();
  return missing === undefined
    ? ok(merged)
    : refused(`the manifest's assets name ${missing}, which is not in the folder`);
}

function refused(why: string): Result<never> {
  return err(domainError("PACKAGE_REFUSED", why));
}
