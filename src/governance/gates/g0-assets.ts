import { sha256 } from "#core/values";
import { localPackage } from "../packages/decide-install.ts";
import type { FoundFile, HomeEvidence } from "../packages/home.ts";
import { type Finding, type GateVerdict, verdict } from "./gate.ts";

/** G0A. What each manifest declares lies there with the hash that it declares. */
export function assetsMatch(homes: readonly HomeEvidence[]): GateVerdict {
  const findings: Finding[] = [];
  let checked = 0;
  for (const { home, packages, broken, files } of homes) {
    for (const { package_id, message } of broken)
      findings.push({ subject: package_id, message, repair: reinstall(home.name) });
    if (home.name === "shipped" && packages.length === 0)
      findings.push({ subject: "Writ's own packages", message: "they are missing", repair: reinstall("shipped") });
    for (const { manifest, manifestBytes, receipt } of packages) {
      const hash = sha256(manifestBytes);
      if (hash !== receipt.manifest_sha256)
        findings.push({
          subject: `${home.folder}/${manifest.package_id}/manifest.json`,
          message: "the manifest is not the one that was installed",
          expected: receipt.manifest_sha256,
          found: hash,
          repair: reinstall(home.name),
        });
      for (const asset of manifest.assets) {
        checked += 1;
        const found = files.get(asset.path) ?? { state: "missing" };
        if (found.state === "file" && found.sha256 === asset.sha256) continue;
        findings.push({
          subject: asset.path,
          message: `${asset.path} of ${manifest.package_id} ${found.state === "missing" ? "is missing" : "was changed"}`,
          expected: asset.sha256,
          found: shown(found),
          repair: repairOf(home.name, manifest.package_id),
        });
      }
    }
  }
  return verdict("G0A", checked, findings);
}

/** G0B. Every file that governs has one owner; none is an orphan. */
export function filesOwned(homes: readonly HomeEvidence[]): GateVerdict {
  const findings: Finding[] = [];
  let checked = 0;
  for (const { home, packages, governed } of homes) {
    const owners = new Map<string, string[]>();
    for (const { manifest } of packages)
      for (const { path } of manifest.assets) owners.set(path, [...(owners.get(path) ?? []), manifest.package_id]);
    for (const path of new Set([...governed, ...owners.keys()])) {
      checked += 1;
      const names = owners.get(path) ?? [];
      if (names.length === 1) continue;
      findings.push(
        names.length === 0
          ? {
              subject: path,
              message: `${path} governs, but no package owns it`,
              repair:
                home.name === "shipped"
                  ? reinstall("shipped")
                  : "writ pkg adopt takes it into the workspace's own package; or move it away",
            }
          : {
              subject: path,
              message: `${path} is owned by ${names.join(" and ")}`,
              repair: "writ pkg remove one of them",
            },
      );
    }
  }
  return verdict("G0B", checked, findings);
}

function shown(found: FoundFile): string {
  switch (found.state) {
    case "file":
      return found.sha256;
    case "missing":
      return "no file";
    case "other":
      return found.what;
  }
}

function repairOf(home: "shipped" | "workspace", package_id: string): string {
  if (package_id === localPackage)
    return "writ pkg adopt takes the change in; writ pkg verify --repair puts back what was adopted";
  return home === "shipped"
    ? "writ pkg verify --repair puts it back; in a checkout of Writ, npm run build takes the change in"
    : "writ pkg verify --repair puts it back from the receipt's archive";
}

function reinstall(home: "shipped" | "workspace"): string {
  return home === "shipped"
    ? "npm run build, in Writ's own folder"
    : "writ pkg install FILE, with the package's archive";
}
