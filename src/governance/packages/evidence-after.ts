import { sha256 } from "#core/values";
import { isGoverned } from "./asset-path.ts";
import type { FileChange } from "./decide-install.ts";
import type { FoundFile, HomeEvidence, InstalledPackage } from "./home.ts";

/** What the gates would read after a change that is planned and not made. */
export function evidenceAfter(
  evidence: HomeEvidence,
  changes: readonly FileChange[],
  packages: readonly { readonly package_id: string; readonly installed: InstalledPackage | undefined }[],
): HomeEvidence {
  const files = new Map<string, FoundFile>(evidence.files);
  const governed = new Set(evidence.governed);
  for (const { path, bytes, executable } of changes) {
    files.set(path, bytes ? { state: "file", sha256: sha256(bytes), executable } : { state: "missing" });
    if (!governed.has(path) && !isGoverned(path)) continue;
    if (bytes) governed.add(path);
    else governed.delete(path);
  }
  const byId = new Map(evidence.packages.map((each) => [each.manifest.package_id, each]));
  for (const { package_id, installed } of packages)
    if (installed) byId.set(package_id, installed);
    else byId.delete(package_id);
  const replaced = new Set(packages.map(({ package_id }) => package_id));
  return {
    ...evidence,
    files,
    governed: [...governed],
    packages: [...byId.values()],
    broken: evidence.broken.filter(({ package_id }) => !replaced.has(package_id)),
  };
}
