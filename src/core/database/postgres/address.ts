import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { domainError, messageOf } from "../../errors/domain-error.ts";
import { err, ok, type Result } from "../../values/result.ts";

/** Address and settings of a database, parsed from `postgres://…`. */
export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly tls: ConnectionOptions | false;
  /** The tenant that the rows belong to; every table has the column. */
  readonly tenant: string;
  readonly poolSize: number;
  /**
   * A pooler in transaction mode assigns another connection to each transaction: no named statements, no LISTEN, no
   * settings that last.
   */
  readonly throughPooler: boolean;
  /** Without the password: for messages and logs. */
  readonly shown: string;
}

const parameters = ["sslmode", "sslrootcert", "tenant", "pool_size", "pooler"] as const;
const loopback = new Set(["localhost", "127.0.0.1", "::1"]);

/**
 * Parses an address. A connection to another machine is encrypted and the server's certificate is verified, unless the
 * address asks for less.
 */
export function postgresAddress(text: string): Result<PostgresAddress> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) return refused("it is no postgres:// address");
  const unknown = [...url.searchParams.keys()].find((key) => !(parameters as readonly string[]).includes(key));
  if (unknown !== undefined)
    return refused(`it has a parameter "${unknown}"; those there are: ${parameters.join(", ")}`);
  const parts = partsOf(url);
  if (!parts) return refused("a % in it begins no character: a percent sign itself is written %25");
  const { host, user, password, database } = parts;
  if (database === "") return refused("it names no database: postgres://user@host:port/database");
  const tls = tlsOf(url, host);
  if (!tls.ok) return tls;
  const poolSize = Number(url.searchParams.get("pool_size") ?? 8);
  if (!Number.isInteger(poolSize) || poolSize < 1 || poolSize > 1_000)
    return refused("pool_size is a number of connections, from 1 to 1000");
  const pooler = url.searchParams.get("pooler") ?? "none";
  if (pooler !== "none" && pooler !== "transaction") return refused('pooler is "none" or "transaction"');
  const tenant = url.searchParams.get("tenant") ?? "default";
  if (tenant === "") return refused("its tenant has no name: leave the parameter out, or say whose rows they are");
  return ok({
    host,
    port: Number(url.port || 5432),
    user: user || "postgres",
    password: password === "" ? undefined : password,
    database,
    tls: tls.value,
    tenant,
    poolSize,
    throughPooler: pooler === "transaction",
    shown: `postgres://${url.username}${url.username ? "@" : ""}${url.host}${url.pathname}`,
  });
}

/** A host that begins with a slash is the folder of a server's socket on this machine: `%2Fvar%2Frun%2Fpostgresql`. */
function partsOf(url: URL): Record<"host" | "user" | "password" | "database", string> | undefined {
  try {
    return {
      host: decodeURIComponent(url.hostname).replace(/^\[(.+)\]$/, "$1") || "127.0.0.1",
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(url.pathname.slice(1)),
    };
  } catch {
    return undefined; // only percent-encoding can be malformed here
  }
}

function tlsOf(url: URL, host: string): Result<ConnectionOptions | false> {
  const mode = url.searchParams.get("sslmode") ?? (isHere(host) ? "disable" : "verify-full");
  const file = url.searchParams.get("sslrootcert");
  switch (mode) {
    case "disable":
      return ok(false);
    case "require":
      return ok({ rejectUnauthorized: false });
    case "verify-full":
      try {
        return ok(file === null ? {} : { ca: readFileSync(file, "utf8") });
      } catch (thrown) {
        return refused(`its sslrootcert cannot be read: ${messageOf(thrown)}`);
      }
    default:
      return refused(`sslmode is "disable", "require" (encrypted) or "verify-full" (and the server proves its name)`);
  }
}

function isHere(host: string): boolean {
  return loopback.has(host) || host.startsWith("/");
}

function refused(why: string): Result<never> {
  return err(domainError("CONFIG_INVALID", `the store's address cannot be used: ${why}`));
}
