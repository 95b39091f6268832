import { timingSafeEqual } from "node:crypto";
import { type DomainError, domainError } from "#core/errors";
import { type Caller, err, ok, type Result, sha256 } from "#core/values";
import { joinRoles } from "./bound-kinds.ts";
import { builtinRoles } from "./builtin-roles.ts";
import { covers } from "./covers.ts";
import { isKnownRight, rightKinds } from "./known-right.ts";

/** The `identity` section of the configuration. */
export interface IdentityConfig {
  readonly callers: Readonly<
    Record<
      string,
      {
        readonly roles?: readonly string[];
        readonly api_key_sha256?: readonly string[];
        readonly public_keys?: Readonly<Record<string, string>>;
      }
    >
  >;
  readonly roles: Readonly<Record<string, { readonly grants?: readonly string[] }>>;
  readonly local_roles: readonly string[];
  readonly dev: DevConfig;
  /** Callers who only name themselves, in development mode. */
  readonly named_callers: DevConfig;
}

interface DevConfig {
  readonly allow: boolean;
  /** Tools by name or glob that may really act. */
  readonly effects: readonly string[];
}

/** The person at this command line: known by the operating system, with the roles the workspace gives them. */
export function localCaller(id: string, config: IdentityConfig): Result<Caller> {
  const named = Object.hasOwn(config.callers, id) ? config.callers[id] : undefined;
  return recognised(id, named?.roles ?? config.local_roles, config, "local");
}

/**
 * A developer at this machine, who may be anyone they say: may submit everything, and really use only what the configuration
 * names. Visible in every record; never over the network.
 */
export function devCaller(
  id: string,
  { isNamed, config }: { isNamed: boolean; config: IdentityConfig },
): Result<Caller> {
  const closed = [...(isNamed ? (["named_callers"] as const) : []), "dev" as const].find((key) => !config[key].allow);
  if (closed !== undefined)
    return err(
      domainError(
        "NOT_AUTHORIZED",
        closed === "dev"
          ? "development mode is forbidden here (identity.dev.allow in writ.yaml)"
          : `${JSON.stringify(id)} only names itself, which is forbidden here (identity.named_callers.allow in writ.yaml)`,
        {
          details: {
            caller: id,
            where: `writ.yaml: identity.${closed}.allow`,
            hint: "submit it as yourself, without --dev",
          },
        },
      ),
    );
  const key = isNamed ? "named_callers" : "dev";
  const effects = { tools: [...harmlessTools, ...config[key].effects], setting: `identity.${key}.effects` };
  return ok({ id, roles: ["dev"], grants: ["*"], authenticatedBy: "dev", effects });
}

/** Tools that change nothing and reach nothing outside the workspace. */
export const harmlessTools: readonly string[] = [
  "echo",
  "fs.list",
  "fs.read",
  "fs.search",
  "skill.load",
  "sources.search",
  "todo",
];

/** The holder of one of the API keys whose hashes are in the configuration. */
export function callerOfKey(key: string, config: IdentityConfig): Result<Caller> {
  const hash = sha256(key);
  for (const [id, { roles = [], api_key_sha256 = [] }] of Object.entries(config.callers))
    for (const known of api_key_sha256) if (sameHash(known, hash)) return recognised(id, roles, config, "api_key");
  return err(unknownKey());
}

/** Does not say which part of the key was wrong: that would help an attacker guess it. */
export function unknownKey(): DomainError {
  return domainError("NOT_AUTHORIZED", "the API key is not known here");
}

/** Compared in constant time, so that the response time does not reveal how many characters agree. */
export function sameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** A caller that the workspace knows, with the grants of its roles. */
export function recognised(
  id: string,
  roles: readonly string[],
  config: IdentityConfig,
  authenticatedBy: Caller["authenticatedBy"],
): Result<Caller> {
  const granted: (readonly string[])[] = [];
  for (const role of roles) {
    const known = grantsOfRole(role, config);
    if (!known)
      return err(
        domainError(
          "CONFIG_INVALID",
          `${id} has the role "${role}", which neither identity.roles nor Writ defines; Writ defines ${Object.keys(builtinRoles).join(", ")}`,
        ),
      );
    const odd = known.find((right) => !isKnownRight(right));
    if (odd !== undefined)
      return err(
        domainError(
          "CONFIG_INVALID",
          `identity.roles.${role} grants ${JSON.stringify(odd)}, which is no kind of right: before a colon stands ${rightKinds.join(", ")}`,
        ),
      );
    granted.push(known);
  }
  const grants = joinRoles(granted, (rights) => covers(rights, "order.submit"));
  return ok({ id, roles, grants, authenticatedBy });
}

/** What a role may do: as the workspace defines it, else as Writ does. */
export function grantsOfRole(role: string, { roles }: Pick<IdentityConfig, "roles">): readonly string[] | undefined {
  if (Object.hasOwn(roles, role)) return roles[role]?.grants ?? [];
  return Object.hasOwn(builtinRoles, role) ? builtinRoles[role] : undefined;
}
