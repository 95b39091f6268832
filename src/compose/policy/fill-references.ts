import { domainError, err, ok, type Result } from "#base";
import type { Environment } from "../config/load-config.ts";
import type { WritConfig } from "../config/writ-config.ts";

/**
 * Puts values in the places of `${secret:NAME}` and, as in an `.mcp.json`, of `${NAME}` and `${NAME:-otherwise}`. A name
 * without a value is an error: a server that starts without its credentials fails later and in stranger words.
 */
export function fillReferences(
  env: Environment,
  secrets: WritConfig["secrets"],
): (text: string) => Promise<Result<string>> {
  return async (text) => {
    let missing: string | undefined;
    const filled = text.replaceAll(
      reference,
      (_whole, secret: string | undefined, name: string | undefined, otherwise: string | undefined) => {
        const variable =
          secret === undefined
            ? (name ?? "")
            : ((Object.hasOwn(secrets, secret) ? secrets[secret]?.env : undefined) ?? secret);
        const value = env[variable] || otherwise;
        if (value === undefined) missing ??= variable;
        return value ?? "";
      },
    );
    return missing === undefined
      ? ok(filled)
      : err(
          domainError("CONFIG_INVALID", `the environment variable ${missing} is not set, and a server needs it`, {
            details: { hint: `export ${missing}=…` },
          }),
        );
  };
}

const reference = /\$\{(?:secret:([A-Za-z_][A-Za-z0-9_.-]*)|([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?)\}/g;
