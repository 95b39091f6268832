import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Environment } from "../config/load-config.ts";
import type { Secrets } from "./create-secrets.ts";

/**
 * Puts values in the places of `${secret:NAME}` and, as in an `.mcp.json`, of `${NAME}` and `${NAME:-otherwise}`. A name
 * without a value is an error: a server that starts without its credentials fails later and in stranger words.
 */
export function fillReferences(env: Environment, secrets: Secrets): (text: string) => Promise<Result<string>> {
  return async (text) => {
    let filled = "";
    let at = 0;
    // One by one: what a value holds is never read as a reference again.
    for (const found of text.matchAll(reference)) {
      const [whole, secret, name = "", otherwise] = found;
      const isSecret = secret !== undefined || soundsSecret.test(name);
      const value = await valueOf({ name: secret ?? name, isSecret, otherwise }, env, secrets);
      if (!value.ok) return value;
      filled += text.slice(at, found.index) + value.value;
      at = found.index + whole.length;
    }
    return ok(filled + text.slice(at));
  };
}

const reference = /\$\{(?:secret:([A-Za-z_][A-Za-z0-9_.-]*)|([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?)\}/g;

/** A variable of such a name is kept out of the records like a secret that was called one. */
const soundsSecret = /token|key|secret|passw|credential|auth/i;

interface Reference {
  readonly name: string;
  readonly isSecret: boolean;
  readonly otherwise: string | undefined;
}

async function valueOf(
  { name, isSecret, otherwise }: Reference,
  env: Environment,
  secrets: Secrets,
): Promise<Result<string>> {
  const set = Object.hasOwn(env, name) ? env[name] : undefined; // `toString` is no variable
  if (isSecret && (otherwise === undefined || set)) return secrets.fill(`\${secret:${name}}`);
  const value = set || otherwise;
  if (value !== undefined) return ok(value);
  return err(
    domainError("CONFIG_INVALID", `the environment variable ${name} is not set, and an MCP server needs it`, {
      details: { hint: `export ${name}=…` },
    }),
  );
}
