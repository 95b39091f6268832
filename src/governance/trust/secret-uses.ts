import { canonicalJson, sha256 } from "#core/values";
import type { WritConfig } from "#workspace";
import { secretsNamedIn, selectProfile, vendorKeyVariables } from "#workspace";
import type { DeclaredAction } from "./declared-action.ts";

/** Something that gets the values of secrets. */
interface Recipient {
  readonly to: string;
  readonly where: string;
  readonly secrets: readonly string[];
}

/**
 * Which secrets of this machine a workspace uses, and who gets them. The key that a vendor's own variable holds, sent to that
 * vendor, asks for no trust: that is what it is for. What a program prints is shown with that program.
 */
export function secretUsesOf(config: WritConfig): readonly DeclaredAction[] {
  return recipientsOf(config).flatMap(({ to, where, secrets }) =>
    secrets.flatMap((name): DeclaredAction[] => {
      const source = Object.hasOwn(config.secrets, name) ? config.secrets[name] : undefined;
      if (source?.command !== undefined) return [];
      const from = source?.file === undefined ? `the variable ${source?.env ?? name}` : `the file ${source.file}`;
      return [{ does: "send", what: `${from} to ${to}`, where, hash: sha256(canonicalJson({ from, to, where })) }];
    }),
  );
}

function recipientsOf(config: WritConfig): readonly Recipient[] {
  const { mcp, hooks, secrets, telemetry, store } = config;
  const { rights } = hooks;
  const list = (to: string, where: string, names: readonly string[]): Recipient => ({
    to,
    where,
    secrets: [...new Set(names)].sort(),
  });
  return [
    ...["default", ...Object.keys(config.profiles)].flatMap((name) => vendorOf(config, name)),
    ...Object.entries(mcp.servers).map(([name, server]) =>
      list(`the MCP server ${name}`, `mcp.servers.${name}`, [
        ...secretsNamedIn(JSON.stringify(server)),
        ...(server.rights?.secrets ?? []),
      ]),
    ),
    list("hooks", "hooks", [...(rights?.secrets ?? []), ...secretsOfHooks(hooks)]),
    ...Object.entries(secrets).map(([name, source]) =>
      list(`the program of ${name}`, `secrets.${name}`, source.rights?.secrets ?? []),
    ),
    list(telemetry.endpoint ?? "telemetry", "telemetry.headers", secretsNamedIn(JSON.stringify(telemetry))),
    list("the store", "store", secretsNamedIn(store)),
  ];
}

function vendorOf(config: WritConfig, name: string): readonly Recipient[] {
  const profile = selectProfile(config, name);
  if (!profile.ok || profile.value.provider === "scripted") return [];
  const { provider, base_url, api_key, headers } = profile.value;
  const own = vendorKeyVariables[provider];
  const isOwnKey = (secret: string) => {
    const source = Object.hasOwn(config.secrets, secret) ? config.secrets[secret] : { env: secret };
    return base_url === null && own !== null && source?.env === own;
  };
  const secrets = secretsNamedIn(JSON.stringify({ api_key, headers })).filter((secret) => !isOwnKey(secret));
  const where = name === "default" ? "api_key" : `profiles.${name}.api_key`;
  return [{ to: base_url ?? provider, where, secrets }];
}

function secretsOfHooks(hooks: WritConfig["hooks"]): readonly string[] {
  const { disable: _, rights: __, read_claude_settings: ___, ...points } = hooks;
  return Object.values(points).flatMap((groups) =>
    (groups ?? []).flatMap((group) => group.hooks.flatMap(({ rights }) => rights?.secrets ?? [])),
  );
}
