import type { SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { canonicalJson, err, ok, type Result, sha256 } from "#core/values";
import { type Check, checkCompiler } from "./compile-check.ts";
import { plainJson } from "./plain-json.ts";
import type { ToolDef, ToolSpec } from "./tool.ts";
import { isToolName } from "./tool-names.ts";

/** L1. All tools of the workspace. A tool that is not registered cannot be called. */
export interface ToolRegistry {
  /** Adds a tool. Its definition is copied, so that the maker cannot change it afterwards. */
  register(spec: ToolSpec, options?: RegisterOptions): Result<ToolDef>;
  /** Replaces the definition of the same name, or adds it; the old one stays when the new one is refused. */
  replace(spec: ToolSpec, options?: RegisterOptions): Result<ToolDef>;
  find(name: string): RegisteredTool | undefined;
  /** Why a tool is not registered, where an `explainAbsence` function knows. */
  absence(name: string): DomainError | undefined;
  explainAbsence(explain: (name: string) => DomainError | undefined): void;
  /** Sorted by name. */
  list(): readonly ToolDef[];
}

export interface RegisterOptions {
  /** Compile its schemas when it is first called. For definitions that were compiled when they were approved: a server of
   * forty tools would cost each start most of a second. */
  readonly compileLater?: boolean;
}

export interface RegisteredTool {
  readonly tool: ToolDef;
  readonly checkArgs: Check;
  readonly checkResult: Check;
}

const maxDefinitionBytes = 256 * 1024;

export function createToolRegistry(schemas: SchemaRegistry): ToolRegistry {
  const tools = new Map<string, RegisteredTool>();
  const taken = new Map<string, string>();
  const compile = checkCompiler(schemas);
  const explainers: ((name: string) => DomainError | undefined)[] = [];

  const take = (spec: ToolSpec, compileLater: boolean, isReplacement: boolean): Result<ToolDef> => {
    const { name } = spec;
    if (!isToolName(name))
      return refused(
        `${quote(name)} is no tool name: letters, digits, "_" and "-" in at most four parts joined by dots`,
      );
    const rival = taken.get(lookAlike(name));
    if (rival !== undefined && !(isReplacement && rival === name))
      return refused(
        `a tool ${quote(name)} cannot be registered beside ${quote(rival)}: models and people could take one for the other`,
      );
    const definition = readDefinition(spec);
    if (!definition.ok) return definition;
    const wire = definition.value;
    const side = (given: object, copy: object, label: string): Result<Check> =>
      compileLater ? ok(later(() => compile(given, copy, label))) : compile(given, copy, label);
    const checkArgs = side(spec.schema_in, wire.schema_in, `${name} arguments`);
    if (!checkArgs.ok) return checkArgs;
    const checkResult = side(spec.schema_out, wire.schema_out, `${name} result`);
    if (!checkResult.ok) return checkResult;

    const tool: ToolDef = Object.freeze({
      ...spec,
      ...wire,
      hash: sha256(canonicalJson(spec.definition ? { ...wire, definition: spec.definition } : wire)),
      invoke: spec.invoke.bind(spec),
    });
    tools.set(name, { tool, checkArgs: checkArgs.value, checkResult: checkResult.value });
    taken.set(lookAlike(name), name);
    return ok(tool);
  };
  return {
    register: (spec, { compileLater = false } = {}) => take(spec, compileLater, false),
    replace: (spec, { compileLater = false } = {}) => take(spec, compileLater, true),
    find: (name) => tools.get(name),
    absence: (name) => explainers.map((explain) => explain(name)).find((error) => error !== undefined),
    explainAbsence: (explain) => void explainers.push(explain),
    list: () => [...tools.values()].map(({ tool }) => tool).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** A schema that does not compile refuses every value. */
function later(compile: () => Result<Check>): Check {
  let compiled: Result<Check> | undefined;
  return (value) => {
    compiled ??= compile();
    return compiled.ok ? compiled.value(value) : compiled;
  };
}

type Wire = Pick<ToolDef, "name" | "description" | "schema_in" | "schema_out" | "annotations">;

/** Reads the definition once. The copy is what is hashed, compiled and shown. */
function readDefinition(spec: ToolSpec): Result<Wire> {
  const { name, description, schema_in, schema_out, annotations } = spec;
  for (const [field, schema] of Object.entries({ schema_in, schema_out })) {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema))
      return refused(`the tool ${quote(name)} has no ${field}: a tool declares what it takes and what it gives`);
  }
  const copy = plainJson({ name, description, schema_in, schema_out, annotations }, maxDefinitionBytes);
  if (!copy.ok) return refused(`the definition of the tool ${quote(name)} is unusable: ${copy.error.message}`);
  return ok(copy.value.value as unknown as Wire);
}

/** Providers allow no dots in names, so `fs.read` and `fs_read` would arrive as one name. */
function lookAlike(name: string): string {
  return name.toLowerCase().replaceAll(/[._-]/g, "_");
}

function refused(message: string): Result<never> {
  return err(domainError("CONFIG_INVALID", message));
}

/** A name as it was given, which may be a value of any type. */
function quote(name: unknown): string {
  return (JSON.stringify(name) ?? typeof name).slice(0, 80);
}
