import { domainError } from "#core/errors";
import { type Caller, type Clock, err, isoTime, ok, type Random, type Result } from "#core/values";
import type { EventInput } from "#log";
import type { ApiKeyStore, StoredApiKey } from "../keys/store/api-key-store.ts";
import { hashOfKey, keyIdOf, makeApiKey } from "./api-key.ts";
import { spellOut } from "./bound-kinds.ts";
import { callerOfKey, type IdentityConfig, recognised, sameHash, unknownKey } from "./caller.ts";
import { covers } from "./covers.ts";
import { intersectGrants } from "./intersect-grants.ts";
import { isKnownRight, rightKinds } from "./known-right.ts";

/** API keys: created, listed, revoked and authenticated. Each change is an event; a key is shown once and stored as a hash. */
export interface Keyring {
  create(by: Caller, input: KeyInput): Promise<Result<CreatedKey>>;
  list(): Promise<Result<readonly StoredApiKey[]>>;
  revoke(by: Caller, key_id: string, reason: string): Promise<Result<StoredApiKey>>;
  /** The caller that holds this key, with what both its roles and the key's scope grant. */
  authenticate(key: string): Promise<Result<Caller>>;
  /** The caller that a record names, with the key that it used then; a key revoked since is refused. */
  restoreCaller(caller_id: string, key_id: string): Promise<Result<Caller>>;
}

export interface KeyInput {
  /** The caller that the holder of the key becomes. */
  readonly caller_id: string;
  /** Of the caller's grants, those that the key shall have; absent: all of them. */
  readonly scope?: readonly string[];
  readonly note?: string;
  /** Milliseconds since 1970; absent: it does not expire. */
  readonly expiresAt?: number;
}

export interface CreatedKey extends StoredApiKey {
  /** The only time that it is seen. */
  readonly key: string;
}

export interface KeyringSources {
  readonly store: ApiKeyStore;
  readonly identity: IdentityConfig;
  /** The local user, whom the configuration need not name. */
  readonly localCaller: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Makes the change durable. */
  readonly record: (act: EventInput<"key.created"> | EventInput<"key.revoked">) => Promise<Result<void>>;
}

/** The right to make keys and to take them back. */
const manageKeys = "key.manage";

export function createKeyring(sources: KeyringSources): Keyring {
  const { store, clock, record, identity } = sources;
  return {
    list: async () => store.apiKeys(),
    async create(by, input) {
      const allowed = mayCreate(by, input, sources);
      if (!allowed.ok) return allowed;
      const { key_id, key } = makeApiKey(sources.random);
      const made = {
        key_id,
        key_sha256: hashOfKey(key),
        caller_id: input.caller_id,
        scope: input.scope ?? null,
        note: input.note ?? "",
        created_by: by.id,
        expires_at: input.expiresAt === undefined ? null : isoTime(input.expiresAt),
      };
      const recorded = await record({
        type: "key.created",
        actor: by.id,
        payload: { ...made, scope: made.scope && [...made.scope] },
      });
      if (!recorded.ok) return recorded;
      const stored = { ...made, created_at: isoTime(clock.now()), revoked_at: null, revoked_by: null };
      const kept = await store.addApiKey(stored);
      return kept.ok ? ok({ ...stored, key }) : kept;
    },
    async revoke(by, key_id, reason) {
      if (!covers(by.grants, manageKeys)) return err(mayNot(by, manageKeys, "take keys back"));
      const found = await store.findApiKey(key_id);
      if (!found.ok) return found;
      if (!found.value)
        return err(
          domainError("NOT_FOUND", `there is no API key ${key_id}`, { details: { hint: "writ key list --all" } }),
        );
      const revoked = { revoked_at: isoTime(clock.now()), revoked_by: by.id };
      // The key is revoked before the event is recorded: revoking must not wait for the log.
      const changed = await store.revokeApiKey(key_id, revoked);
      if (!changed.ok) return changed;
      if (!changed.value) return found as Result<StoredApiKey>;
      const { caller_id } = found.value;
      const recorded = await record({
        type: "key.revoked",
        actor: by.id,
        payload: { key_id, caller_id, revoked_by: by.id, reason },
      });
      return recorded.ok ? ok({ ...found.value, ...revoked }) : recorded;
    },
    async authenticate(key) {
      const key_id = keyIdOf(key);
      if (key_id === undefined) return callerOfKey(key, identity);
      const found = await store.findApiKey(key_id);
      if (!found.ok) return found;
      if (!found.value || !sameHash(found.value.key_sha256, hashOfKey(key))) return err(unknownKey());
      return holderOf(found.value, sources);
    },
    async restoreCaller(caller_id, key_id) {
      const found = await store.findApiKey(key_id);
      if (!found.ok) return found;
      return found.value?.caller_id === caller_id ? holderOf(found.value, sources) : err(unknownKey());
    },
  };
}

/** The caller is identified by now, by the key or by a record, so the error may say that the key was revoked or has expired. */
function holderOf(key: StoredApiKey, sources: KeyringSources): Result<Caller> {
  const { key_id, caller_id, scope, revoked_at, expires_at } = key;
  if (revoked_at !== null)
    return err(domainError("NOT_AUTHORIZED", `the API key ${key_id} was revoked at ${revoked_at}`));
  if (expires_at !== null && expires_at <= isoTime(sources.clock.now()))
    return err(domainError("NOT_AUTHORIZED", `the API key ${key_id} expired at ${expires_at}`));
  const known = callerNamed(caller_id, sources);
  if (!known.ok) return known;
  const grants = scope === null ? known.value.grants : intersectGrants(known.value.grants, scope);
  return ok({ ...known.value, grants, key: { key_id, scope } });
}

function callerNamed(id: string, { identity, localCaller }: KeyringSources): Result<Caller> {
  const named = Object.hasOwn(identity.callers, id) ? identity.callers[id] : undefined;
  if (!named && id !== localCaller)
    return err(
      domainError("NOT_AUTHORIZED", `the workspace does not know the caller ${JSON.stringify(id)}`, {
        details: { hint: "callers and their roles stand under identity.callers in writ.yaml" },
      }),
    );
  return recognised(id, named?.roles ?? identity.local_roles, identity, "api_key");
}

/** A caller grants only rights that it has, and no key is created for rights that its holder lacks. */
function mayCreate(by: Caller, input: KeyInput, sources: KeyringSources): Result<void> {
  if (!covers(by.grants, manageKeys)) return err(mayNot(by, manageKeys, "make keys"));
  const holder = callerNamed(input.caller_id, sources);
  if (!holder.ok) return holder;
  const odd = input.scope?.find((right) => !isKnownRight(right));
  if (odd !== undefined)
    return err(
      domainError(
        "MALFORMED_INPUT",
        `${JSON.stringify(odd)} is no right: before a colon stands ${rightKinds.join(", ")}`,
      ),
    );
  const held = spellOut(holder.value.grants);
  const unheld = input.scope?.find((right) => !covers(held, right));
  if (unheld !== undefined)
    return err(
      domainError(
        "NOT_AUTHORIZED",
        `a key for ${input.caller_id} cannot have "${unheld}": their roles (${holder.value.roles.join(", ") || "none"}) do not grant it`,
      ),
    );
  const handedOn = intersectGrants(held, spellOut(input.scope ?? held));
  const ungranted = handedOn.find((right) => !covers(spellOut(by.grants), right));
  if (ungranted !== undefined) return err(mayNot(by, ungranted, `make a key for ${input.caller_id} that has it`));
  if (input.expiresAt !== undefined && input.expiresAt <= sources.clock.now())
    return err(domainError("MALFORMED_INPUT", `a key that expired at ${isoTime(input.expiresAt)} would open nothing`));
  return ok(undefined);
}

function mayNot(by: Caller, right: string, what: string) {
  return domainError("NOT_AUTHORIZED", `${by.id} may not ${what}: their roles do not grant "${right}"`, {
    details: { caller: by.id, right },
  });
}
