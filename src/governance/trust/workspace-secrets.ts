import { domainError } from "#core/errors";
import { nodeFiles, type Programs } from "#core/machine";
import { err, type Files, ok, type Result } from "#core/values";
import { type GrowingRedactor, growingRedactor } from "#log";
import type { WritConfig } from "#workspace";
import {
  createSecrets,
  declaredServers,
  literalSecretsOf,
  type Secrets,
  secretsNamedIn,
  vendorKeyVariables,
} from "#workspace";
import type { ActSources } from "./act-sources.ts";
import { requireTrust } from "./require-trust.ts";

export interface WorkspaceSecrets extends Secrets {
  /** Knows every secret that was read, and those of the environment and of files from the beginning. */
  readonly redactor: GrowingRedactor;
}

export interface SecretSurroundings extends Omit<ActSources, "config" | "files"> {
  /** Default: the machine's own. */
  readonly files?: Files;
  /** Starts programs that print secrets; without it such a secret is an error. */
  readonly programs?: Programs | undefined;
  /** Gets a line for each secret that stands in the open where a reference belongs. */
  readonly onNotice?: ((line: string) => void) | undefined;
}

/**
 * The secrets of a workspace and the redactor that keeps them out of its records. What lies in the environment or a
 * file is registered at once, used or not; a program is run only when its secret is wanted, since it may ask a person.
 * Every opener of a workspace that uses more than its files calls this first, so the trust gate is here: a workspace that this
 * user does not trust gets no secret, runs no program and reaches no address.
 */
export async function workspaceSecrets(
  config: WritConfig,
  surroundings: SecretSurroundings,
): Promise<Result<WorkspaceSecrets>> {
  const { files = nodeFiles } = surroundings;
  const ports = { ...surroundings, files };
  const trusted = await requireTrust({ ...ports, config });
  if (!trusted.ok) return trusted;
  const made = growingRedactor(config.redaction.patterns);
  if (!made.ok) return made;
  const redactor = made.value;
  const secrets = createSecrets({ sources: config.secrets, ports, register: redactor.register });
  // Those that the configuration refers to without naming their source come from the environment.
  for (const name of new Set([...Object.keys(config.secrets), ...secretsNamedIn(JSON.stringify(config))])) {
    const source = Object.hasOwn(config.secrets, name) ? config.secrets[name] : undefined;
    if (source?.command === undefined) await secrets.fill(`\${secret:${name}}`); // one that is missing is missed when it is used
  }
  for (const variable of Object.values(vendorKeyVariables)) {
    const value = variable === null ? undefined : ports.env[variable];
    if (value && value.length >= 3) redactor.register(value);
  }
  for (const variable of config.redaction.secrets) {
    const value = Object.hasOwn(ports.env, variable) ? ports.env[variable] : undefined; // `toString` is no variable
    if (value === undefined || value === "") continue;
    if (value.length < 3)
      return err(
        domainError("CONFIG_INVALID", `redaction.secrets names ${variable}, whose value is too short to be kept out`, {
          details: { variable },
        }),
      );
    const registered = redactor.register(value);
    if (!registered.ok) return registered;
  }
  await keepOutLiterals(config, ports, redactor);
  return ok({ fill: secrets.fill, redactor });
}

/** A secret that the declaration of an MCP server holds as it is gets into no record either; a notice says where it belongs. */
async function keepOutLiterals(
  config: WritConfig,
  { root, files, onNotice }: Pick<SecretSurroundings, "root" | "onNotice"> & { readonly files: Files },
  redactor: GrowingRedactor,
): Promise<void> {
  const declared = await declaredServers({ root, files, config: config.mcp, reserved: [] });
  if (!declared.ok) return; // opening the servers reports what is wrong with them
  for (const spec of declared.value)
    for (const { where, value } of literalSecretsOf(spec)) {
      redactor.register(value);
      const name = `${spec.name}_${where.replace(/^-+|^\w+\./, "")}`.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
      onNotice?.(
        `${where} of the MCP server "${spec.name}" is a secret in the open (${spec.declaredIn}): no record holds it, but every reader of the file does. Write \${secret:${name}} in its place and \`secrets: { ${name}: { env: ${name} } }\` in writ.yaml`,
      );
    }
}
