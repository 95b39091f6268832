import type { PackageManifestV1 } from "#core/contracts";
import { localPackage } from "../packages/decide-install.ts";
import type { HomeEvidence } from "../packages/home.ts";
import { type Finding, type GateVerdict, verdict } from "./gate.ts";
import type { RegisteredFramework, Registries } from "./registries.ts";

/** G1. Every package names a spec, every such spec a framework, and that framework is there. */
export function packagesResolve(manifests: readonly PackageManifestV1[], registries: Registries): GateVerdict {
  const findings: Finding[] = [...registries.problems];
  for (const manifest of manifests) {
    const { package_id, spec_id } = manifest;
    const spec = registries.specs.find((each) => each.spec_id === spec_id);
    if (!spec) {
      findings.push({
        subject: package_id,
        message: `its spec ${spec_id} is in no specs_registry.csv`,
        repair: `bring registries/${package_id}/specs_registry.csv in the package`,
      });
      continue;
    }
    if (manifest.framework_id !== undefined && manifest.framework_id !== spec.framework_id)
      findings.push({
        subject: package_id,
        message: `it names ${manifest.framework_id}, but its spec ${spec_id} belongs to ${spec.framework_id}`,
        expected: spec.framework_id,
        found: manifest.framework_id,
      });
    const why = whyUnresolved(spec.framework_id, registries);
    if (why) findings.push({ subject: package_id, message: `${spec_id} belongs to ${spec.framework_id}, ${why}` });
  }
  for (const [id, places] of twice(registries))
    findings.push({ subject: id, message: `${id} is registered with more than one meaning: ${places.join(", ")}` });
  return verdict("G1", manifests.length, findings);
}

function whyUnresolved(framework_id: string, { frameworks }: Registries): string | undefined {
  const framework = frameworks.find((each) => each.framework_id === framework_id);
  if (!framework) return "which is in no frameworks_registry.csv";
  const { manifest, path } = framework;
  switch (manifest.state) {
    case "absent":
      return `whose ${path}/manifest.yaml is missing`;
    case "broken":
      return `whose ${path}/manifest.yaml is not valid: ${manifest.why}`;
    case "read":
      return manifest.value.framework_id === framework_id
        ? undefined
        : `whose manifest is that of ${manifest.value.framework_id}`;
  }
}

/**
 * Within one home an id means one thing; a workspace may stand before what Writ ships. Rows that say the same are one: what was
 * adopted with a registry of the workspace is packaged later with a registry of the package.
 */
function twice({ frameworks, specs }: Registries): readonly (readonly [string, readonly string[]])[] {
  const seen = new Map<string, Set<string>>();
  for (const { framework_id, home, path } of frameworks) add(`${home.name}\n${framework_id}`, path);
  for (const { spec_id, home, framework_id } of specs) add(`${home.name}\n${spec_id}`, framework_id);
  return [...seen]
    .filter(([, meanings]) => meanings.size > 1)
    .map(([key, meanings]) => [key.split("\n")[1] ?? key, [...meanings]]);

  function add(key: string, meaning: string): void {
    seen.set(key, (seen.get(key) ?? new Set()).add(meaning));
  }
}

/** G1-COMPLETE. A framework that is there is whole: its assets lie beside it, and each spec it expects is implemented by a package. */
export function frameworksComplete(homes: readonly HomeEvidence[], registries: Registries): GateVerdict {
  const findings: Finding[] = [...registries.problems];
  const manifests = homes.flatMap(({ packages }) => packages.map(({ manifest }) => manifest));
  const implemented = new Set(manifests.map(({ spec_id }) => spec_id));
  const own = manifests.find(({ package_id }) => package_id === localPackage);
  const adopted = new Set(own?.assets.map(({ path }) => path));
  let checked = 0;
  for (const framework of registries.frameworks) {
    if (framework.manifest.state === "absent") continue;
    checked += 1;
    // The workspace's own package implements what it adopted: it has one spec, and no other package is there yet.
    const isAdopted = framework.home.name === "workspace" && adopted.has(`${framework.path}/manifest.yaml`);
    findings.push(...incomplete(framework, registries, isAdopted ? undefined : implemented));
  }
  return verdict("G1-COMPLETE", checked, findings);
}

function incomplete(
  { framework_id, manifest, path }: RegisteredFramework,
  { specs }: Registries,
  implemented: ReadonlySet<string> | undefined,
): readonly Finding[] {
  const subject = framework_id;
  if (manifest.state === "broken") return [{ subject, message: `${path}/manifest.yaml is not valid: ${manifest.why}` }];
  if (manifest.state === "absent") return [];
  const findings: Finding[] = [];
  for (const asset of manifest.value.assets ?? [])
    if (!manifest.assets.includes(asset)) findings.push({ subject, message: `its asset ${path}/${asset} is missing` });
  for (const spec_id of manifest.value.expected_specs ?? []) {
    const spec = specs.find((each) => each.spec_id === spec_id);
    if (!spec) findings.push({ subject, message: `its spec ${spec_id} is in no specs_registry.csv` });
    else if (spec.framework_id !== framework_id)
      findings.push({ subject, message: `its spec ${spec_id} belongs to ${spec.framework_id}` });
    else if (implemented?.has(spec_id) === false)
      findings.push({ subject, message: `no installed package implements ${spec_id}` });
  }
  return findings;
}
