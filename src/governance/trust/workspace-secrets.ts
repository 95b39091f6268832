import { domainError } from "#core/errors";
import { nodeFiles, nodeProcesses } from "#core/machine";
import { err, type Files, ok, type Processes, type Result } from "#core/values";
import { type GrowingRedactor, growingRedactor } from "#log";
import type { WritConfig } from "#workspace";
import { createSecrets, type Secrets, secretsNamedIn, vendorKeyVariables } from "#workspace";
import type { ActSources } from "./act-sources.ts";
import { requireTrust } from "./require-trust.ts";

export interface WorkspaceSecrets extends Secrets {
  /** Knows every secret that was read, and those of the environment and of files from the beginning. */
  readonly redactor: GrowingRedactor;
}

export interface SecretSurroundings extends Omit<ActSources, "config" | "files"> {
  /** Default: the machine's own. */
  readonly files?: Files;
  readonly processes?: Processes;
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
  const { clock, files = nodeFiles, processes = nodeProcesses(clock) } = surroundings;
  const ports = { ...surroundings, files, processes };
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
  return ok({ fill: secrets.fill, redactor });
}
