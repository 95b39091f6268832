import { parse as parseCsv } from "csv-parse/sync";
import { domainError, err, type Files, messageOf, ok, type Result, sha256 } from "#base";
import { type PromptContractV1, parseYaml, type SchemaRegistry } from "#schemas";
import type { Framework } from "./framework.ts";

/** Where frameworks are looked for: the workspace first, then what Writ ships. */
export interface FrameworkSources {
  readonly roots: readonly string[];
  readonly files: Files;
  readonly schemas: SchemaRegistry;
}

const registryFile = "registries/frameworks_registry.csv";
const idShape = /^FMWK-[0-9A-Z][0-9A-Z-]{0,63}$/;

/** Reads a framework by id through the registry. Not in the registry, or not as its manifest says: it does not exist. */
export async function loadFramework(sources: FrameworkSources, framework_id: string): Promise<Result<Framework>> {
  if (!idShape.test(framework_id)) return err(notFound(framework_id));
  for (const root of sources.roots) {
    const row = await findRow(sources, root, framework_id);
    if (!row.ok) return row;
    if (row.value) return readFolder(sources, root, framework_id, row.value);
  }
  return err(notFound(framework_id));
}

async function findRow(
  { files }: FrameworkSources,
  root: string,
  framework_id: string,
): Promise<Result<string | undefined>> {
  const text = await files.readText(`${root}/${registryFile}`);
  if (!text.ok) return text.error.code === "NOT_FOUND" ? ok(undefined) : text;
  let rows: Record<string, string>[];
  try {
    rows = parseCsv(text.value, { columns: true, trim: true, skip_empty_lines: true });
  } catch (thrown) {
    return err(domainError("CONFIG_INVALID", `${registryFile}: ${messageOf(thrown)}`));
  }
  const row = rows.find((each) => each["framework_id"] === framework_id);
  if (!row) return ok(undefined);
  const path = row["path"] ?? "";
  if (!/^[A-Za-z0-9_./-]+$/.test(path) || path.split("/").includes(".."))
    return err(
      domainError(
        "CONFIG_INVALID",
        `${registryFile}: the path of ${framework_id} must lie inside the workspace, found ${JSON.stringify(path)}`,
      ),
    );
  return ok(path);
}

async function readFolder(
  sources: FrameworkSources,
  root: string,
  framework_id: string,
  path: string,
): Promise<Result<Framework>> {
  const { files, schemas } = sources;
  const folder = `${root}/${path}`;
  const file = `${path}/manifest.yaml`;
  const text = await files.readText(`${folder}/manifest.yaml`);
  if (!text.ok) return err(notFound(framework_id, `${file} is missing`));
  const document = parseYaml(text.value);
  if (!document.ok) return err(domainError("CONFIG_INVALID", `${file}: ${document.error.message}`));
  const manifest = schemas.validate("framework_manifest_v1", document.value);
  if (!manifest.ok)
    return err(
      domainError("CONFIG_INVALID", `${file}: ${manifest.error.message}`, { details: manifest.error.details }),
    );
  if (manifest.value.framework_id !== framework_id)
    return err(notFound(framework_id, `${file} is the manifest of ${manifest.value.framework_id}`));
  if (manifest.value.status === "retired" || manifest.value.status === "draft")
    return err(notFound(framework_id, `it is ${manifest.value.status}`));
  const hashes: Record<string, string> = { [file]: sha256(text.value) };
  const contracts: PromptContractV1[] = [];
  for (const id of manifest.value.prompt_contracts ?? []) {
    const contract = await readContract(sources, folder, path, id, hashes);
    if (!contract.ok) return contract;
    contracts.push(contract.value);
  }
  return ok({ manifest: manifest.value, contracts, folder: path, hashes });
}

async function readContract(
  { files, schemas }: FrameworkSources,
  folder: string,
  path: string,
  id: string,
  hashes: Record<string, string>,
): Promise<Result<PromptContractV1>> {
  const name = `prompt_contracts/${id}.yaml`;
  const text = await files.readText(`${folder}/${name}`);
  if (!text.ok)
    return err(
      domainError("CONFIG_INVALID", `${path}/manifest.yaml names the prompt contract ${id}, but ${name} is missing`),
    );
  const document = parseYaml(text.value);
  if (!document.ok) return err(domainError("CONFIG_INVALID", `${path}/${name}: ${document.error.message}`));
  const contract = schemas.validate("prompt_contract_v1", document.value);
  if (!contract.ok) return err(domainError("CONFIG_INVALID", `${path}/${name}: ${contract.error.message}`));
  hashes[`${path}/${name}`] = sha256(text.value);
  return contract;
}

function notFound(framework_id: string, why = `it is in no ${registryFile}`) {
  return domainError("FRAMEWORK_NOT_FOUND", `no framework ${framework_id}: ${why}`, { details: { framework_id } });
}
