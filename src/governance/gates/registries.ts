import { checkFrameworkManifest, type FrameworkManifest, parseYaml, type SchemaRegistry } from "#core/contracts";
import type { Files, Result } from "#core/values";
import { readRegistry } from "../frameworks/read-registry.ts";
import type { PackageHome } from "../packages/home.ts";
import { workspacePath } from "../paths/workspace-path.ts";

export interface RegisteredFramework {
  readonly framework_id: string;
  readonly home: PackageHome;
  readonly path: string;
  /** `absent`: the registry knows it, but its package is not installed. */
  readonly manifest:
    | { readonly state: "absent" }
    | { readonly state: "broken"; readonly why: string }
    | { readonly state: "read"; readonly value: FrameworkManifest; readonly assets: readonly string[] };
}

export interface RegisteredSpec {
  readonly spec_id: string;
  readonly framework_id: string;
  readonly home: PackageHome;
}

/** What the registries of all homes say. */
export interface Registries {
  readonly frameworks: readonly RegisteredFramework[];
  readonly specs: readonly RegisteredSpec[];
  /** Registries that cannot be read. */
  readonly problems: readonly { readonly subject: string; readonly message: string }[];
}

export async function readRegistries(
  homes: readonly PackageHome[],
  sources: { readonly files: Files; readonly schemas: SchemaRegistry },
): Promise<Registries> {
  const frameworks: RegisteredFramework[] = [];
  const specs: RegisteredSpec[] = [];
  const problems: { subject: string; message: string }[] = [];
  for (const home of homes) {
    const named = await readRegistry(sources.files, home.root, "frameworks_registry.csv");
    if (!named.ok) problems.push({ subject: "registries/frameworks_registry.csv", message: named.error.message });
    for (const { columns } of named.ok ? named.value : []) {
      const path = columns["path"] ?? "";
      const manifest = await readManifest(home, path, sources);
      frameworks.push({ framework_id: columns["framework_id"] ?? "", home, path, manifest });
    }
    const specified = await readRegistry(sources.files, home.root, "specs_registry.csv");
    if (!specified.ok) problems.push({ subject: "registries/specs_registry.csv", message: specified.error.message });
    for (const { columns } of specified.ok ? specified.value : [])
      specs.push({ spec_id: columns["spec_id"] ?? "", framework_id: columns["framework_id"] ?? "", home });
  }
  return { frameworks, specs, problems };
}

async function readManifest(
  home: PackageHome,
  path: string,
  { files, schemas }: { readonly files: Files; readonly schemas: SchemaRegistry },
): Promise<RegisteredFramework["manifest"]> {
  const inside = workspacePath(path);
  if (!inside.ok || inside.value === "")
    return { state: "broken", why: `its path ${JSON.stringify(path)} is not inside` };
  const folder = `${home.root}/${inside.value}`;
  const text = await files.readText(`${folder}/manifest.yaml`);
  if (!text.ok)
    return text.error.code === "NOT_FOUND" ? { state: "absent" } : { state: "broken", why: text.error.message };
  const document = parseYaml(text.value);
  const manifest: Result<FrameworkManifest> = document.ok ? checkFrameworkManifest(schemas, document.value) : document;
  if (!manifest.ok) return { state: "broken", why: manifest.error.message };
  const assets: string[] = [];
  for (const asset of manifest.value.assets ?? []) {
    const name = workspacePath(asset);
    const found = name.ok ? await files.stat(`${folder}/${name.value}`) : name;
    if (found.ok && found.value?.type === "file") assets.push(asset);
  }
  return { state: "read", value: manifest.value, assets };
}
