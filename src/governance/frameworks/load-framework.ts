import { basename } from "node:path";
import {
  checkFrameworkManifest,
  type FrameworkManifest,
  type PromptContractV1,
  parseYaml,
  type SchemaRegistry,
} from "#core/contracts";
import { domainError } from "#core/errors";
import { whileUnchanged } from "#core/machine";
import { err, type Files, memoizeText, ok, type Result, sha256 } from "#core/values";
import type { Framework } from "./framework.ts";
import { checkedInvariants, instructionsOf, strategyRule } from "./invariants.ts";
import { type ParseRows, parseRows, readRegistry } from "./read-registry.ts";
import { readStrategy, type WrittenStrategy } from "./read-strategy.ts";
import { whyUnlawful } from "./rings.ts";

/** Where frameworks are looked for: the workspace first, then what Writ ships. */
export interface FrameworkSources {
  readonly roots: readonly string[];
  readonly files: Files;
  readonly schemas: SchemaRegistry;
}

/** Reads a framework by id through the registry. Not in the registry, or not as its manifest says: it does not exist. */
export type FrameworkReader = (framework_id: string) => Promise<Result<Framework>>;

const registryFile = "registries/frameworks_registry.csv";
export const frameworkIdShape: RegExp = /^FMWK-[0-9A-Z][0-9A-Z-]{0,63}$/;

/** A reader that reads and parses only what has changed since it last looked. */
export function frameworkReader({ roots, files, schemas }: FrameworkSources): FrameworkReader {
  const kept = whileUnchanged<Framework>(files);
  const parsers: Omit<Sources, "files"> = {
    schemas,
    rows: memoizeText(parseRows),
    manifest: memoizeText((text, file) => parsed(text, file, (value) => checkFrameworkManifest(schemas, value))),
    contract: memoizeText((text, file) => parsed(text, file, (value) => schemas.validate("prompt_contract_v1", value))),
    strategy: memoizeText((text, file) => parsed(text, file, (value) => strategyOf(value, file, schemas))),
  };
  const read = async (framework_id: string, sources: Sources): Promise<Result<Framework>> => {
    if (!frameworkIdShape.test(framework_id)) return err(notFound(framework_id));
    for (const root of roots) {
      const path = await pathOf(sources, root, framework_id);
      if (!path.ok) return path;
      if (path.value === undefined) continue;
      const specs = await registeredSpecs(sources, roots, framework_id);
      const isShipped = root !== roots[0];
      return specs.ok
        ? readFolder(sources, { root, isShipped, framework_id, path: path.value, specs: specs.value })
        : specs;
    }
    return err(notFound(framework_id));
  };
  return (framework_id) => kept(framework_id, (looked) => read(framework_id, { ...parsers, files: looked }));
}

interface Sources {
  readonly files: Files;
  readonly schemas: SchemaRegistry;
  readonly rows: ParseRows;
  readonly manifest: (text: string, file: string) => Result<Parsed<FrameworkManifest>>;
  readonly contract: (text: string, file: string) => Result<Parsed<PromptContractV1>>;
  readonly strategy: (text: string, file: string) => Result<Parsed<WrittenStrategy>>;
}

interface Parsed<T> {
  readonly value: T;
  readonly hash: string;
}

async function pathOf(
  { files, rows: parse }: Sources,
  root: string,
  framework_id: string,
): Promise<Result<string | undefined>> {
  const rows = await readRegistry(files, root, "frameworks_registry.csv", parse);
  if (!rows.ok) return rows;
  const [row, ...more] = rows.value.filter(({ columns }) => columns["framework_id"] === framework_id);
  if (!row) return ok(undefined);
  const second = more.find(({ columns }) => columns["path"] !== row.columns["path"]);
  if (second)
    return err(invalid(row.file, `${framework_id} stands in ${second.file} too: nobody can tell which one rules`));
  const path = row.columns["path"] ?? "";
  if (/^[A-Za-z0-9_./-]+$/.test(path) && !path.split("/").includes("..")) return ok(path);
  const found = JSON.stringify(path);
  return err(invalid(row.file, `the path of ${framework_id} must lie inside the workspace, found ${found}`));
}

/** The framework's own specs come first: an order that is written for a person names the first. */
async function registeredSpecs(
  { files, rows: parse }: Sources,
  roots: readonly string[],
  framework_id: string,
): Promise<Result<readonly string[]>> {
  const own: string[] = [];
  const others: string[] = [];
  for (const root of roots) {
    const rows = await readRegistry(files, root, "specs_registry.csv", parse);
    if (!rows.ok) return rows;
    for (const { columns } of rows.value)
      (columns["framework_id"] === framework_id ? own : others).push(columns["spec_id"] ?? "");
  }
  return ok([...own, ...others]);
}

interface Registered {
  readonly root: string;
  readonly isShipped: boolean;
  readonly framework_id: string;
  readonly path: string;
  readonly specs: readonly string[];
}

async function readFolder(sources: Sources, registered: Registered): Promise<Result<Framework>> {
  const { root, isShipped, framework_id, path, specs } = registered;
  const file = `${path}/manifest.yaml`;
  const text = await sources.files.readText(`${root}/${file}`);
  if (!text.ok) return err(notFound(framework_id, `${file} is missing`));
  const manifest = sources.manifest(text.value, `${root}/${file}`);
  if (!manifest.ok) return manifest;
  const { value } = manifest.value;
  if (value.framework_id !== framework_id)
    return err(notFound(framework_id, `${file} is the manifest of ${value.framework_id}`));
  if (value.status === "retired" || value.status === "draft")
    return err(notFound(framework_id, `it is ${value.status} (status in ${file})`));
  const [unlawful] = whyUnlawful(value);
  if (unlawful !== undefined) return err(invalid(file, unlawful));
  const invariants = checkedInvariants(value, sources.schemas);
  if (!invariants.ok) return err(invalid(file, invariants.error));
  const rule = strategyRule(value);
  if (!rule.ok) return err(invalid(file, rule.error));
  const hashes: Record<string, string> = { [file]: manifest.value.hash };
  const contracts: PromptContractV1[] = [];
  for (const id of value.prompt_contracts ?? []) {
    const name = `${path}/prompt_contracts/${id}.yaml`;
    const contractText = await sources.files.readText(`${root}/${name}`);
    if (!contractText.ok) return err(invalid(file, `it names the prompt contract ${id}, but ${name} is missing`));
    const contract = sources.contract(contractText.value, `${root}/${name}`);
    if (!contract.ok) return contract;
    hashes[name] = contract.value.hash;
    contracts.push(contract.value.value);
  }
  const strategies: WrittenStrategy[] = [];
  for (const id of value.strategies ?? []) {
    const name = `${path}/strategies/${id}.yaml`;
    const strategyText = await sources.files.readText(`${root}/${name}`);
    if (!strategyText.ok) return err(invalid(file, `it names the strategy ${id}, but ${name} is missing`));
    const strategy = sources.strategy(strategyText.value, `${root}/${name}`);
    if (!strategy.ok) return strategy;
    hashes[name] = strategy.value.hash;
    strategies.push(strategy.value.value);
  }
  return ok({
    manifest: value,
    contracts,
    strategies,
    invariants: invariants.value,
    instructions: instructionsOf(value),
    strategy: rule.value,
    specs: [...new Set([...(value.expected_specs ?? []), ...specs])],
    folder: path,
    isShipped,
    hashes,
  });
}

function strategyOf(value: unknown, file: string, schemas: SchemaRegistry): Result<WrittenStrategy> {
  const read = readStrategy(value, basename(file, ".yaml"), schemas);
  return read.ok ? read : err(invalid(file, read.error));
}

function parsed<T>(text: string, file: string, check: (value: unknown) => Result<T>): Result<Parsed<T>> {
  const document = parseYaml(text);
  if (!document.ok) return err(invalid(file, document.error.message));
  const checked = check(document.value);
  return checked.ok ? ok({ value: checked.value, hash: sha256(text) }) : err(invalid(file, checked.error.message));
}

function invalid(file: string, message: string) {
  return domainError("CONFIG_INVALID", `${file}: ${message}`, { details: { where: file } });
}

function notFound(framework_id: string, why = `it is in no ${registryFile}`) {
  return domainError("FRAMEWORK_NOT_FOUND", `no framework ${framework_id}: ${why}`, { details: { framework_id } });
}
