import { type FrameworkManifest, type PromptContractV1, parseYaml, type SchemaRegistry } from "#core/contracts";
import { parametersOf } from "#core/expressions";
import { err, type Files, type Result } from "#core/values";
import { type RegisteredFramework, readRegistries } from "../gates/registries.ts";
import type { PackageHome } from "../packages/home.ts";
import { whyNamesNothing } from "../paths/names-nothing.ts";
import { checkedInvariants } from "./invariants.ts";
import { contractTies } from "./match-contract.ts";
import { readStrategy, type WrittenStrategy } from "./read-strategy.ts";
import { whyUnlawful } from "./rings.ts";

/** What is wrong with a framework, and how it is mended. */
export interface FrameworkProblem {
  readonly where: string;
  readonly message: string;
  readonly repair?: string;
}

export interface InspectedContract {
  readonly contract_id: string;
  readonly title: string | undefined;
  readonly applies_to: PromptContractV1["applies_to"];
  /** The fields that the input of an order under it has to have. */
  readonly parameters: readonly string[];
}

export interface InspectedStrategy {
  readonly strategy_id: string;
  readonly title: string | undefined;
  readonly steps: readonly string[];
  readonly parameters: readonly string[];
}

/** A registered framework as a person sees it: with everything that is wrong with it, not with the first thing alone. */
export interface InspectedFramework {
  readonly framework_id: string;
  readonly from: PackageHome["name"];
  readonly path: string;
  readonly manifest: FrameworkManifest | null;
  readonly contracts: readonly InspectedContract[];
  readonly strategies: readonly InspectedStrategy[];
  readonly problems: readonly FrameworkProblem[];
}

/** Filled by the runner, not by the order. */
const given = new Set(["context", "prompt", "input"]);

/** Every framework that the registries name, the workspace's before the shipped; one of the workspace hides a shipped one. */
export async function inspectFrameworks(
  homes: readonly PackageHome[],
  sources: { readonly files: Files; readonly schemas: SchemaRegistry },
): Promise<readonly InspectedFramework[]> {
  const { frameworks, problems } = await readRegistries(homes, sources);
  const inspected: InspectedFramework[] = [];
  for (const framework of frameworks) {
    if (inspected.some(({ framework_id }) => framework_id === framework.framework_id)) continue;
    inspected.push(await inspect(framework, sources));
  }
  if (problems.length === 0) return inspected;
  const unread = problems.map(({ subject, message }) => ({ where: subject, message }));
  return [...inspected, { ...nothing, framework_id: "registries", problems: unread }];
}

const nothing = { from: "workspace", path: "registries", manifest: null, contracts: [], strategies: [] } as const;

async function inspect(
  { framework_id, home, path, manifest }: RegisteredFramework,
  sources: { readonly files: Files; readonly schemas: SchemaRegistry },
): Promise<InspectedFramework> {
  const where = `${path}/manifest.yaml`;
  const base = { framework_id, from: home.name, path };
  if (manifest.state !== "read") {
    const message = manifest.state === "absent" ? "it is missing" : manifest.why;
    const repair = manifest.state === "absent" ? `writ framework new ${framework_id}` : undefined;
    return { ...base, manifest: null, contracts: [], strategies: [], problems: [problem(where, message, repair)] };
  }
  const { value } = manifest;
  const problems: FrameworkProblem[] = [];
  if (value.framework_id !== framework_id)
    problems.push(
      problem(where, `it is the manifest of ${value.framework_id}, and the registry names ${framework_id}`),
    );
  problems.push(...whyUnlawful(value).map((message) => problem(where, message)));
  problems.push(...hollowPatterns(value).map((message) => problem(where, message)));
  const invariants = checkedInvariants(value, sources.schemas);
  if (!invariants.ok) problems.push(problem(where, invariants.error));
  for (const asset of value.assets ?? [])
    if (!manifest.assets.includes(asset)) problems.push(problem(where, `its asset ${asset} is missing`));
  const contracts: PromptContractV1[] = [];
  for (const id of value.prompt_contracts ?? []) {
    const file = `${path}/prompt_contracts/${id}.yaml`;
    const read = await readDocument(`${home.root}/${file}`, sources, "prompt_contract_v1");
    if (!read.ok) problems.push(problem(file, read.error));
    else if (read.value.contract_id !== id)
      problems.push(problem(file, `it holds ${read.value.contract_id}, not ${id}`));
    else {
      contracts.push(read.value);
      problems.push(...unknownSchemas(read.value, sources.schemas).map((message) => problem(file, message)));
    }
  }
  for (const id of value.attention_templates ?? []) {
    const file = `${path}/attention_templates/${id}.yaml`;
    const read = await readDocument(`${home.root}/${file}`, sources, "attention_template_v1");
    if (!read.ok) problems.push(problem(file, read.error));
    else if (read.value.template_id !== id)
      problems.push(problem(file, `it holds ${read.value.template_id}, not ${id}`));
  }
  const strategies: InspectedStrategy[] = [];
  for (const id of value.strategies ?? []) {
    const file = `${path}/strategies/${id}.yaml`;
    const read = await readYaml(`${home.root}/${file}`, sources.files, (each) =>
      readStrategy(each, id, sources.schemas),
    );
    if (!read.ok) problems.push(problem(file, read.error));
    else strategies.push(describedStrategy(read.value));
  }
  const repair = "make one of them more specific in applies_to; orders may name one with prompt_contract_id";
  problems.push(...contractTies(contracts).map((message) => problem(where, message, repair)));
  return { ...base, manifest: value, contracts: contracts.map(described), strategies, problems };
}

/** Orders under the framework are refused as long as it forbids or asks about files by a pattern that names none. */
function hollowPatterns({ forbidden_files = [], approvals = [] }: FrameworkManifest): readonly string[] {
  const lists = [
    { path: "forbidden_files", patterns: forbidden_files },
    ...approvals.map(({ files = [] }, index) => ({ path: `approvals[${index}].files`, patterns: files })),
  ];
  return lists.flatMap(({ path, patterns }) =>
    patterns.flatMap((pattern) => whyNamesNothing(pattern)?.replace(/^/, `${path}: `) ?? []),
  );
}

function problem(where: string, message: string, repair?: string): FrameworkProblem {
  return { where, message, ...(repair === undefined ? {} : { repair }) };
}

function described({ contract_id, title, applies_to, template, system = "" }: PromptContractV1): InspectedContract {
  const parameters = parametersOf(`${system}\n${template}`).filter((name) => !given.has(name));
  return { contract_id, title, applies_to, parameters };
}

function unknownSchemas({ input_schema, output_schema }: PromptContractV1, schemas: SchemaRegistry): readonly string[] {
  return [input_schema, output_schema].flatMap((schema) => {
    const known = typeof schema === "string" ? schemas.describe(schema) : undefined;
    return known?.ok === false ? [known.error.message] : [];
  });
}

function describedStrategy({
  document: { strategy_id, title, steps },
  parameters,
}: WrittenStrategy): InspectedStrategy {
  return {
    strategy_id,
    title,
    steps: steps.map(({ id }) => id),
    parameters: parameters.filter((name) => !given.has(name)),
  };
}

function readDocument<Id extends "prompt_contract_v1" | "attention_template_v1">(
  file: string,
  { files, schemas }: { readonly files: Files; readonly schemas: SchemaRegistry },
  schema_id: Id,
) {
  return readYaml(file, files, (value) => {
    const checked = schemas.validate(schema_id, value);
    return checked.ok ? checked : err(checked.error.message);
  });
}

async function readYaml<T>(
  file: string,
  files: Files,
  check: (value: unknown) => Result<T, string>,
): Promise<Result<T, string>> {
  const text = await files.readText(file);
  if (!text.ok) return err(text.error.code === "NOT_FOUND" ? "it is missing" : text.error.message);
  const document = parseYaml(text.value);
  return document.ok ? check(document.value) : err(document.error.message);
}
