import type { PackageManifestV1 } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result, sha256 } from "#core/values";
import type { OpenedPackage } from "./archive.ts";
import { findCollision } from "./asset-path.ts";
import type { FoundFile, HomeEvidence, InstalledPackage } from "./home.ts";
import { compareVersions } from "./version.ts";

/** One file of the tree that changes: to these bytes, or to nothing. */
export interface FileChange {
  readonly path: string;
  readonly bytes: Uint8Array | null;
  readonly executable: boolean;
}

/** What an install does to the tree, receipts apart. `already`: nothing, it is there. */
export interface InstallPlan {
  readonly state: "already" | "new" | "upgrade";
  readonly changes: readonly FileChange[];
  /** What people wrote and the install would replace or take away. */
  readonly losses: readonly string[];
  /** Files that leave the workspace's own package for this one. */
  readonly takenOver: readonly string[];
}

/** The package into which `writ pkg adopt` takes what people wrote. It gives a file up to the package that brings it. */
export const localPackage = "PKG-WORKSPACE-LOCAL";

/** Whether this package may be installed beside the others, and which files change. No package overwrites another's file. */
export function decideInstall(
  opened: OpenedPackage,
  target: HomeEvidence,
  others: readonly HomeEvidence[],
  foundAt: (path: string) => FoundFile,
): Result<InstallPlan> {
  const { manifest } = opened;
  const current = target.packages.find(({ manifest: { package_id } }) => package_id === manifest.package_id);
  const sequence = current && checkSequence(current, opened);
  if (sequence?.ok === false) return sequence;
  const needs = checkDependencies(manifest, [target, ...others]);
  if (needs) return err(needs);
  const brought = new Set(manifest.assets.map(({ path }) => path));
  const owners = new Map<string, string>();
  const takenOver: string[] = [];
  for (const each of target.packages)
    if (each !== current)
      for (const { path } of each.manifest.assets)
        if (each.manifest.package_id === localPackage && brought.has(path)) takenOver.push(path);
        else owners.set(path, each.manifest.package_id);
  const collision = findCollision([...owners.keys(), ...brought]);
  if (collision) {
    const owner = owners.get(collision[0]) ?? "another package";
    return err(
      conflict(
        `${collision[1]} belongs to ${owner} already (as ${collision[0]}): no package overwrites another's file`,
      ),
    );
  }
  const before = new Map(current?.manifest.assets.map(({ path, sha256: hash }) => [path, hash]));
  const changes: FileChange[] = [
    ...opened.assets,
    ...[...before.keys()]
      .filter((path) => !brought.has(path))
      .map((path) => ({ path, bytes: null, executable: false })),
  ];
  const losses: string[] = [];
  for (const { path, bytes } of changes) {
    const found = foundAt(path);
    if (found.state === "other") return err(inTheWay(path, found.what));
    const expected = [before.get(path), bytes && sha256(bytes)];
    if (found.state === "file" && !expected.includes(found.sha256)) losses.push(path);
  }
  if (sequence?.value === "same") return ok({ state: "already", changes: [], losses, takenOver: [] });
  return ok({ state: current ? "upgrade" : "new", changes, losses, takenOver });
}

function checkSequence(current: InstalledPackage, opened: OpenedPackage): Result<"same" | "newer"> {
  const { package_id, version } = opened.manifest;
  const order = compareVersions(version, current.manifest.version);
  if (order > 0) return ok("newer");
  if (order === 0 && Buffer.from(current.manifestBytes).equals(opened.manifestBytes)) return ok("same");
  return err(
    conflict(
      order === 0
        ? `${package_id} ${version} is installed with other contents: a changed package needs a new version`
        : `${package_id} ${current.manifest.version} is installed, which is newer than ${version}: remove it first`,
    ),
  );
}

function checkDependencies(manifest: PackageManifestV1, homes: readonly HomeEvidence[]): DomainError | undefined {
  for (const { package_id, version } of manifest.dependencies ?? []) {
    const found = homes.flatMap(({ packages }) => packages).find((each) => each.manifest.package_id === package_id);
    if (!found) return conflict(`${manifest.package_id} needs ${package_id}, which is not installed: install it first`);
    if (found.manifest.layer > manifest.layer)
      return conflict(
        `${manifest.package_id} (layer ${manifest.layer}) depends on ${package_id} (layer ${found.manifest.layer}): packages depend only on lower layers or their own`,
      );
    if (version !== undefined && compareVersions(found.manifest.version, version) < 0)
      return conflict(
        `${manifest.package_id} needs ${package_id} ${version} or newer, found ${found.manifest.version}`,
      );
  }
  return undefined;
}

/** A folder or a link where a file belongs: what lies behind it is no business of a package. */
export function inTheWay(path: string, what: string): DomainError {
  return conflict(`${path} is ${what} here: move it aside`);
}

function conflict(message: string): DomainError {
  return domainError("PACKAGE_CONFLICT", message);
}
