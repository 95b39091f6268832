import type { KeyObject } from "node:crypto";
import type { PackageManifestV1, SchemaRegistry } from "#core/contracts";
import { ok, type Result } from "#core/values";
import { type OpenedPackage, openArchive } from "./archive.ts";
import { type BuiltPackage, buildPackage } from "./build-package.ts";
import { localPackage } from "./decide-install.ts";
import { readArchive } from "./read-archive.ts";
import type { TarEntry } from "./tar/tar-header.ts";

interface Signing {
  readonly schemas: SchemaRegistry;
  readonly key: KeyObject;
}

/** The workspace's own package with these files, as the version after the one that is installed. */
export function buildLocalPackage(
  files: readonly TarEntry[],
  current: PackageManifestV1 | undefined,
  signing: Signing,
): Result<BuiltPackage> {
  const [major = 1, minor = 0, patch = -1] = current?.version.split(".").map(Number) ?? [];
  const draft = {
    package_id: localPackage,
    title: "Contracts of this workspace",
    version: `${major}.${minor}.${patch + 1}`,
    layer: 9,
    plane_id: "hot",
    spec_id: "SPEC-WORKSPACE-001",
    framework_id: "FMWK-000",
  };
  return buildPackage(draft, files, signing);
}

/** The workspace's own package without the files that another package takes over; undefined where nothing is left of it. */
export async function withoutFiles(
  archiveFile: string,
  taken: readonly string[],
  signing: Signing,
): Promise<Result<OpenedPackage | undefined>> {
  const archive = await readArchive(archiveFile);
  const opened = archive.ok ? openArchive(archive.value, signing.schemas) : archive;
  if (!opened.ok) return opened;
  const left = opened.value.assets.filter(({ path }) => !taken.includes(path));
  if (left.length === 0) return ok(undefined);
  const built = buildLocalPackage(left, opened.value.manifest, signing);
  return built.ok ? openArchive(built.value.archive, signing.schemas) : built;
}
