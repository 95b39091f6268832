import { join } from "node:path";
import { locateYaml, shippedRegistry, type Violation, type WritConfigV1 } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, type Files, ok, type Result } from "#core/values";
import { configDefaults } from "./defaults.ts";
import { leaves, overlay, says } from "./merge-config.ts";
import { seedSetting } from "./seed-settings.ts";
import type { EffectiveConfig, Origin, WritConfig } from "./writ-config.ts";

export const configFileName = "writ.yaml";
const schemaId = "writ_config_v1";
const maxConfigBytes = 1024 * 1024;

/** What the environment may say instead of the file, for one process. */
const variables: Readonly<Record<string, keyof WritConfig>> = { WRIT_PROFILE: "profile", WRIT_STORE: "store" };
const takes: Readonly<Record<string, string>> = {
  WRIT_PROFILE: "use the name of a profile in writ.yaml",
  WRIT_STORE: "use sqlite:FILE or postgres://user@host:port/database",
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** One complaint about `writ.yaml`: where, what is wrong, how to mend it. */
interface ConfigProblem {
  readonly where: string;
  readonly message: string;
  readonly hint?: string;
}

/** The configuration in force in a workspace. */
export async function loadConfig(
  root: string,
  files: Files,
  env: Environment = {},
  given?: WritConfigV1,
): Promise<Result<WritConfig>> {
  const effective = given === undefined ? await readConfig(root, files, env) : configOf(handedIn(given), env);
  return effective.ok ? ok(effective.value.config) : effective;
}

/** The configuration in force, with the origin of each value. */
export async function readConfig(root: string, files: Files, env: Environment = {}): Promise<Result<EffectiveConfig>> {
  const file = join(root, configFileName);
  const text = await files.readText(file, { maxBytes: maxConfigBytes });
  if (!text.ok) return text;
  const located = locateYaml(text.value);
  if (!located.ok) return err(unreadable(located.error));
  const { value, lineOf } = located.value;
  return configOf({ value, file, lineOf, where: (path) => `${configFileName}:${lineOf(path)}` }, env);
}

/** A configuration as it was written, and where each of its values stands. */
interface Written {
  readonly value: unknown;
  readonly file: string;
  readonly lineOf: (path: string) => number;
  /** The place of a value, for people. */
  readonly where: (path: string) => string;
}

/** The same keys as in writ.yaml, as an object of the program that opens the workspace. */
function handedIn(given: WritConfigV1): Written {
  const name = "the configuration that was handed in";
  return { value: given, file: name, lineOf: () => 1, where: () => name };
}

function configOf(source: Written, env: Environment): Result<EffectiveConfig> {
  const written = check(source);
  if (!written.ok) return written;
  const spoken = readEnvironment(env);
  if (!spoken.ok) return spoken;

  const tree = overlay(overlay({ ...configDefaults }, { ...written.value }), spoken.value);
  const config = tree as unknown as WritConfig; // the schema has checked what was laid over the complete defaults
  const missing = missingProfile(config, source);
  if (missing) return err(invalid([missing]));
  return ok({ config, file: source.file, origins: originsOf(tree, written.value, source, spoken.value) });
}

function check({ value, where }: Written): Result<WritConfigV1> {
  const checked = shippedRegistry().validate(schemaId, value ?? {}); // a file of nothing but comments is null
  if (checked.ok) return checked;
  const violations = (checked.error.details["violations"] ?? []) as readonly Violation[];
  return err(invalid(violations.map((violation) => problemOf(violation, where(violation.path)))));
}

/** A violation in the words of someone who writes configuration. */
function problemOf({ path, expected, found }: Violation, where: string): ConfigProblem {
  const key = path.replace(/^\$\.?/, "") || "the file";
  const unknown = /^no such field(?: \((?<meant>.*)\))?$/.exec(expected);
  if (!unknown) return { where, message: `${key}: expected ${expected}, found ${found}` };
  const hint =
    seedSetting(key) ?? unknown.groups?.["meant"] ?? "remove it; `writ config show` lists the keys there are";
  return { where, message: `unknown key "${key}"`, hint };
}

/** What the environment says instead of the file. Checked by itself: it is wrong whatever the file says. */
export function readEnvironment(env: Environment): Result<Record<string, unknown>> {
  const spoken: Record<string, unknown> = Object.fromEntries(
    Object.entries(variables).flatMap(([variable, key]) => (env[variable] ? [[key, env[variable]]] : [])),
  );
  const fits = shippedRegistry().validate(schemaId, spoken);
  return fits.ok ? ok(spoken) : err(environmentInvalid(fits.error));
}

function originsOf(tree: unknown, written: unknown, { lineOf }: Written, spoken: unknown): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>();
  for (const { path } of leaves(tree)) {
    const key = path.join(".");
    const variable = says(spoken, path)
      ? Object.keys(variables).find((name) => variables[name] === path[0])
      : undefined;
    if (variable) origins.set(key, { from: "environment", variable });
    else if (says(written, path)) origins.set(key, { from: "file", line: lineOf(`$.${key}`) });
    else origins.set(key, { from: "default" });
  }
  return origins;
}

/** A profile that is named and not there would otherwise be found out in the middle of a flow. */
function missingProfile(config: WritConfig, { where }: Written): ConfigProblem | undefined {
  const names = ["default", ...Object.keys(config.profiles)];
  const named: readonly (readonly [path: string, name: string])[] = [
    ["profile", config.profile],
    ...config.fallback.map((name) => ["fallback", name] as const),
    ...Object.entries(config.profiles).flatMap(([profile, { fallback = [] }]) =>
      fallback.map((name) => [`profiles.${profile}.fallback`, name] as const),
    ),
  ];
  for (const [path, name] of named) {
    if (names.includes(name)) continue;
    return {
      where: where(`$.${path}`),
      message: `${path} names "${name}", and there is no such profile`,
      hint: `the profiles are ${names.join(", ")}`,
    };
  }
  return undefined;
}

function unreadable(error: DomainError): DomainError {
  const { line, ...rest } = error.details;
  return domainError("CONFIG_INVALID", `${configFileName}: ${error.message}`, {
    details: { ...rest, where: typeof line === "number" ? `${configFileName}:${line}` : configFileName },
    cause: error.cause,
  });
}

function invalid(problems: readonly ConfigProblem[]): DomainError {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const hint = first?.hint ? `; ${first.hint}` : "";
  return domainError("CONFIG_INVALID", `${first?.where}: ${first?.message}${hint}${more}`, { details: { problems } });
}

/** The value is not repeated: the address of a store may hold a password. */
function environmentInvalid(cause: DomainError): DomainError {
  const violations = (cause.details["violations"] ?? []) as readonly Violation[];
  const wrong = Object.keys(variables).filter((name) => violations.some(({ path }) => path === `$.${variables[name]}`));
  return domainError("CONFIG_INVALID", `what ${wrong.join(" and ")} says in the environment is not understood`, {
    details: { hint: wrong.map((name) => `${name}: ${takes[name]}`).join("; ") },
  });
}
