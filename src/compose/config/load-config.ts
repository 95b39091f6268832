import { join } from "node:path";
import { type DomainError, domainError, err, type Files, isJsonObject, ok, type Result } from "#base";
import { shippedRegistry, type Violation, type WritConfigV1 } from "#schemas";
import { configDefaults } from "./defaults.ts";
import { leaves, overlay, says } from "./merge-config.ts";
import { unknownKeys } from "./unknown-keys.ts";
import type { EffectiveConfig, Origin, WritConfig } from "./writ-config.ts";
import { parseYamlSource, type YamlSource } from "./yaml-source.ts";

export const configFileName = "writ.yaml";
const schemaId = "writ_config_v1";
const maxConfigBytes = 1024 * 1024;

/** What the environment may say instead of the file, for one process. */
const variables: Readonly<Record<string, keyof WritConfig>> = { WRIT_PROFILE: "profile", WRIT_STORE: "store" };

export type Environment = Readonly<Record<string, string | undefined>>;

/** One complaint about `writ.yaml`: where, what is wrong, how to mend it. */
interface ConfigProblem {
  readonly where: string;
  readonly message: string;
  readonly hint?: string;
}

/** The configuration in force in a workspace. */
export async function loadConfig(root: string, files: Files, env: Environment = {}): Promise<Result<WritConfig>> {
  const effective = await readConfig(root, files, env);
  return effective.ok ? ok(effective.value.config) : effective;
}

/** The configuration in force, with the origin of each value. */
export async function readConfig(root: string, files: Files, env: Environment = {}): Promise<Result<EffectiveConfig>> {
  const file = join(root, configFileName);
  const text = await files.readText(file, { maxBytes: maxConfigBytes });
  if (!text.ok) return text;
  const source = parseYamlSource(text.value, configFileName);
  if (!source.ok) return source;
  const written = check(source.value, configFileName);
  if (!written.ok) return written;
  const spoken = fromEnvironment(env);
  const checkedEnvironment = shippedRegistry().validate(schemaId, spoken);
  if (!checkedEnvironment.ok) return err(environmentInvalid(spoken, checkedEnvironment.error));

  const tree = overlay(overlay({ ...configDefaults }, { ...written.value }), spoken);
  const config = tree as unknown as WritConfig; // the schema has checked what was laid over the complete defaults
  const unknownProfile = missingProfile(config, source.value);
  return unknownProfile
    ? err(invalid([unknownProfile]))
    : ok({ config, file, origins: originsOf(tree, written.value, source.value, spoken) });
}

function check(source: YamlSource, file: string): Result<WritConfigV1> {
  const value = source.value ?? {}; // a file of nothing but comments
  if (!isJsonObject(value))
    return err(invalid([{ where: `${file}:1`, message: "expected keys and values, such as `provider: scripted`" }]));
  const schema = shippedRegistry().schema(schemaId);
  if (!schema.ok) return schema;
  const at = (path: readonly (string | number)[]) => `${file}:${source.lineOf(path)}`;
  const unknown = unknownKeys(schema.value, value).map(
    ({ path, key, suggestion }): ConfigProblem => ({
      where: at(path),
      message: `unknown key "${path.join(".")}"`,
      hint: suggestion
        ? `did you mean "${suggestion}"?`
        : `remove "${key}"; \`writ config show\` lists the keys there are`,
    }),
  );
  if (unknown.length > 0) return err(invalid(unknown));
  const checked = shippedRegistry().validate(schemaId, value);
  if (checked.ok) return checked;
  const violations = (checked.error.details["violations"] ?? []) as readonly Violation[];
  return err(
    invalid(
      violations.map(({ path, expected, found }) => ({
        where: at(pathParts(path)),
        message: `${path.replace(/^\$\.?/, "") || "the file"}: expected ${expected}, found ${found}`,
      })),
    ),
  );
}

function fromEnvironment(env: Environment): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([variable, key]) => (env[variable] ? [[key, env[variable]]] : [])),
  );
}

function originsOf(tree: unknown, written: unknown, source: YamlSource, spoken: unknown): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>();
  for (const { path } of leaves(tree)) {
    const variable = says(spoken, path)
      ? Object.keys(variables).find((name) => variables[name] === path[0])
      : undefined;
    if (variable) origins.set(path.join("."), { from: "environment", variable });
    else if (says(written, path)) origins.set(path.join("."), { from: "file", line: source.lineOf(path) });
    else origins.set(path.join("."), { from: "default" });
  }
  return origins;
}

function missingProfile(config: WritConfig, source: YamlSource): ConfigProblem | undefined {
  const named = [["profile", config.profile], ...config.fallback.map((name) => ["fallback", name])] as const;
  for (const [key, name] of named) {
    if (name === "default" || Object.hasOwn(config.profiles, name ?? "")) continue;
    return {
      where: `${configFileName}:${source.lineOf([key ?? ""])}`,
      message: `${key} names "${name}", and there is no such profile`,
      hint: `the profiles are ${["default", ...Object.keys(config.profiles)].join(", ")}`,
    };
  }
  return undefined;
}

function invalid(problems: readonly ConfigProblem[]): DomainError {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const hint = first?.hint ? `; ${first.hint}` : "";
  return domainError("CONFIG_INVALID", `${first?.where}: ${first?.message}${hint}${more}`, { details: { problems } });
}

function environmentInvalid(spoken: Record<string, unknown>, cause: DomainError): DomainError {
  const names = Object.keys(variables).filter((name) => Object.hasOwn(spoken, variables[name] ?? ""));
  return domainError("CONFIG_INVALID", `the environment (${names.join(", ")}) does not fit: ${cause.message}`, {
    cause,
  });
}

/** `$.a.b[0]` as its parts. */
function pathParts(path: string): readonly (string | number)[] {
  return [...path.matchAll(/\.([^.[]+)|\[(\d+)\]/g)].map(([, key, index]) => key ?? Number(index));
}
