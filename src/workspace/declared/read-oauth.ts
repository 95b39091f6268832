import type { WritConfig } from "../config/writ-config.ts";
import type { McpOAuth } from "./oauth.ts";

type Declared = NonNullable<NonNullable<WritConfig["mcp"]["servers"]>[string]["oauth"]>;
type Key = Exclude<keyof Declared, "grant">;
type Grant = McpOAuth["grant"];

interface Needs {
  readonly all: readonly Key[];
  /** Exactly one of these. */
  readonly one: readonly Key[];
  readonly may: readonly Key[];
}

const needsOf: Readonly<Record<Grant, Needs>> = {
  authorization_code: {
    all: [],
    one: [],
    may: ["issuer", "client_id", "client_secret", "client_metadata_url", "scope"],
  },
  client_credentials: {
    all: ["issuer", "client_id"],
    one: ["client_secret", "private_key"],
    may: ["signing_algorithm", "scope"],
  },
  jwt_bearer: {
    all: ["issuer", "client_id"],
    one: ["assertion", "identity_provider"],
    may: ["client_secret", "scope"],
  },
};

/** What is declared of a server's OAuth, or why it cannot be meant. */
export function readOAuth(declared: Declared): McpOAuth | { readonly fault: string } {
  const { grant = "authorization_code", ...rest } = declared;
  const { all, one, may } = needsOf[grant];
  const given = Object.keys(rest) as Key[];
  const stray = given.find((key) => ![...all, ...one, ...may].includes(key));
  if (stray !== undefined) return { fault: `has oauth with ${grant}, which takes no ${stray}` };
  const isWhole = all.every((key) => given.includes(key));
  const chosen = one.filter((key) => given.includes(key));
  if (isWhole && (one.length === 0 || chosen.length === 1)) return { grant, ...rest } as McpOAuth;
  const either = one.length === 0 ? "" : ` and either ${one.join(" or ")}`;
  return { fault: `has oauth with ${grant}, which needs ${all.join(", ")}${either}` };
}
