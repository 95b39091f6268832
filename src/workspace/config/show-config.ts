import { configFileName } from "./load-config.ts";
import { describeOrigin, leaves } from "./merge-config.ts";
import type { EffectiveConfig, WritConfig } from "./writ-config.ts";

export interface ShownConfig {
  readonly config: WritConfig;
  readonly values: readonly { readonly path: string; readonly value: unknown; readonly origin: string }[];
}

/** The configuration for eyes: passwords in addresses and literal values in environments and headers are covered. */
export function showConfig({ config, origins }: EffectiveConfig): ShownConfig {
  const covered = cover(config, []) as WritConfig;
  return {
    config: covered,
    values: [...leaves(covered)].map(({ path, value }) => {
      const origin = origins.get(path.join("."));
      return { path: path.join("."), value, origin: describeOrigin(origin ?? { from: "default" }, configFileName) };
    }),
  };
}

function cover(value: unknown, path: readonly string[]): unknown {
  if (typeof value === "string")
    return isSecretPlace(path) && !value.includes("${secret:")
      ? "(covered)"
      : value.replace(/(:\/\/[^:@/\s]+):[^@/\s]+@/, "$1:(covered)@");
  if (Array.isArray(value)) return value.map((item) => cover(item, path));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cover(item, [...path, key])]));
}

/** `mcp.servers.NAME.env.VARIABLE`, `mcp.servers.NAME.headers.NAME`, `headers.NAME`, `profiles.NAME.headers.NAME`. */
function isSecretPlace([top, second, third, kind]: readonly string[]): boolean {
  if (top === "headers" || (top === "profiles" && third === "headers")) return true;
  return top === "mcp" && second === "servers" && (kind === "env" || kind === "headers");
}
