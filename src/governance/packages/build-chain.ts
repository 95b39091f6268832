import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type PackageChainV1, parseYaml, type SchemaRegistry, shippedRegistry } from "#core/contracts";
import { domainError, messageOf } from "#core/errors";
import { removeWholeTree } from "#core/machine";
import { type Clock, err, isoTime, ok, type Result } from "#core/values";
import { matchesPath } from "../paths/path-patterns.ts";
import { readFolder } from "./adapters/read-folder.ts";
import { openArchive } from "./archive.ts";
import { governedFolders } from "./asset-path.ts";
import { buildPackage } from "./build-package.ts";
import { type PackageHome } from "./home.ts";
import { shippedHome } from "./homes.ts";
import { makeReceipt, receiptFiles } from "./receipt.ts";
import { keyHash } from "./signature.ts";
import { type TarEntry } from "./tar/tar-header.ts";

type Planned = PackageChainV1["packages"][number];

export interface BuiltChain {
  readonly state: "built" | "fresh";
  readonly packages: readonly string[];
}

const sourceFolders = [...governedFolders, "agents", "hooks", "skills", "workflows"];

/**
 * Makes packages of everything that Writ ships, in the order of `registries/package_chain.yaml`, signed with a key that is
 * made here and forgotten here: what remains is its hash, which the runtime trusts. Nothing is built when nothing changed.
 */
export function buildChain(options: {
  readonly version: string;
  readonly clock: Clock;
  readonly home?: PackageHome;
}): Result<BuiltChain> {
  const home = options.home ?? shippedHome;
  const schemas = shippedRegistry();
  try {
    const chain = readChain(home, schemas);
    if (!chain.ok) return chain;
    const files = readSources(home);
    if (!files.ok) return files;
    const owned = assignFiles(chain.value, files.value);
    if (!owned.ok) return owned;
    const { privateKey } = generateKeyPairSync("ed25519");
    const built: { readonly package_id: string; readonly archive: Buffer; readonly manifest: object }[] = [];
    for (const planned of chain.value.packages) {
      const made = buildPackage(draftOf(planned, options.version), owned.value.get(planned.package_id) ?? [], {
        schemas,
        key: privateKey,
      });
      if (!made.ok) return err(domainError(made.error.code, `${planned.package_id}: ${made.error.message}`));
      built.push({ package_id: planned.package_id, archive: made.value.archive, manifest: made.value.manifest });
    }
    const packages = built.map(({ package_id }) => package_id);
    if (isFresh(home, built, schemas)) return ok({ state: "fresh", packages });
    writeHome(home, built, { schemas, key: privateKey, installed_at: isoTime(options.clock.now()) });
    return ok({ state: "built", packages });
  } catch (thrown) {
    return err(domainError("INTERNAL", `the packages could not be built: ${messageOf(thrown)}`, { cause: thrown }));
  }
}

function readChain(home: PackageHome, schemas: SchemaRegistry): Result<PackageChainV1> {
  const parsed = parseYaml(readFileSync(join(home.root, "registries/package_chain.yaml"), "utf8"));
  return parsed.ok ? schemas.validate("package_chain_v1", parsed.value) : parsed;
}

function readSources(home: PackageHome): Result<readonly TarEntry[]> {
  const files: TarEntry[] = [];
  for (const folder of sourceFolders) {
    if (!existsSync(join(home.root, folder))) continue;
    const read = readFolder(join(home.root, folder));
    if (!read.ok) return read;
    // Editors and systems leave dotfiles behind; no contract is one.
    const plain = read.value.filter(({ path }) => !path.split("/").some((part) => part.startsWith(".")));
    files.push(...plain.map((file) => ({ ...file, path: `${folder}/${file.path}`, executable: false })));
  }
  return ok(files);
}

/** Every file to the one package that names it, or else to the one that takes what is left. */
function assignFiles(
  { packages }: PackageChainV1,
  files: readonly TarEntry[],
): Result<ReadonlyMap<string, readonly TarEntry[]>> {
  const owned = new Map<string, TarEntry[]>(packages.map(({ package_id }) => [package_id, []]));
  for (const file of files) {
    const named = packages.filter(({ assets }) => matchesPath(assets ?? [], file.path));
    const owners =
      named.length > 0 ? named : packages.filter(({ otherwise }) => matchesPath(otherwise ?? [], file.path));
    const [owner] = owners;
    if (owners.length > 1)
      return err(
        domainError(
          "CONFIG_INVALID",
          `registries/package_chain.yaml gives ${file.path} to ${owners.map(({ package_id }) => package_id).join(" and ")}`,
        ),
      );
    if (owner) owned.get(owner.package_id)?.push(file);
    else if (governedFolders.includes(file.path.split("/")[0] ?? ""))
      return err(domainError("CONFIG_INVALID", `registries/package_chain.yaml gives ${file.path} to no package`));
  }
  return ok(owned);
}

function draftOf(planned: Planned, version: string): Readonly<Record<string, unknown>> {
  const { dependencies = [], assets: _, otherwise: __, ...rest } = planned;
  return {
    ...rest,
    version,
    plane_id: "hot",
    license: "Apache-2.0",
    ...(dependencies.length > 0 ? { dependencies: dependencies.map((package_id) => ({ package_id })) } : {}),
  };
}

/** Signatures differ with every key, manifests only with what they list. */
function isFresh(
  home: PackageHome,
  built: readonly { readonly package_id: string; readonly archive: Buffer }[],
  schemas: SchemaRegistry,
): boolean {
  const folder = join(home.root, home.folder);
  if (!existsSync(join(folder, "build_key.json"))) return false;
  const there = readdirSync(folder).filter((name) => name.startsWith("PKG-"));
  if (there.length !== built.length) return false;
  return built.every(({ package_id, archive }) => {
    const opened = openArchive(archive, schemas);
    const file = join(folder, package_id, "manifest.json");
    return opened.ok && existsSync(file) && readFileSync(file).equals(opened.value.manifestBytes);
  });
}

/** What the receipts of a build say and are checked with. */
interface Installation {
  readonly schemas: SchemaRegistry;
  readonly key: KeyObject;
  readonly installed_at: string;
}

function writeHome(
  home: PackageHome,
  built: readonly { readonly archive: Buffer }[],
  { schemas, key, installed_at }: Installation,
): void {
  const folder = join(home.root, home.folder);
  const staged = `${folder}.${process.pid}.new`;
  removeWholeTree(staged);
  const stagedHome: PackageHome = { ...home, root: staged, folder: "." };
  for (const { archive } of built) {
    const opened = openArchive(archive, schemas);
    if (!opened.ok) throw new Error(opened.error.message);
    const receipt = makeReceipt(opened.value, { trusted_as: "build", key_sha256: keyHash(key), installed_at });
    for (const { path, bytes } of receiptFiles(stagedHome, opened.value, receipt)) {
      mkdirSync(dirname(join(staged, path)), { recursive: true });
      writeFileSync(join(staged, path), bytes ?? "");
    }
  }
  writeFileSync(join(staged, "build_key.json"), `${JSON.stringify({ key_sha256: keyHash(key) })}\n`);
  removeWholeTree(folder);
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(staged, folder);
}
