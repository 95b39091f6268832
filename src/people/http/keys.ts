import type { KeyRequestV1 } from "#core/contracts";
import { arrayOf, is, json, listOf, objectOf, orNull, plainGet, type Route } from "#core/routes";
import { ok } from "#core/values";
import type { Keyring } from "../identity/keyring.ts";
import type { StoredApiKey } from "../keys/store/api-key-store.ts";

const key = {
  key_id: is.text,
  caller_id: is.text,
  scope: {
    ...orNull(arrayOf(is.text)),
    description: "Of the caller's grants, those that the key has; null: all of them.",
  },
  note: is.text,
  created_at: is.time,
  created_by: is.text,
  expires_at: orNull(is.time),
  revoked_at: orNull(is.time),
  revoked_by: orNull(is.text),
};

export interface KeyRouteParts {
  readonly keys: Pick<Keyring, "list" | "create" | "revoke">;
}

/** API keys, for administrators. A key is shown once; its hash never. */
export const keyRoutes: readonly Route<KeyRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/keys",
    tag: "keys",
    summary: "Every API key that was ever made, without what it opens with",
    right: "key.manage",
    query: {},
    headers: {},
    answer: { status: 200, description: "All of them.", schema: listOf("keys", objectOf(key)) },
    otherAnswers: [],
    async handle({ keys }) {
      const found = await keys.list();
      return found.ok ? ok(json({ keys: found.value.map(shown), next: null })) : found;
    },
  },
  {
    method: "POST",
    path: "/api/v1/keys",
    tag: "keys",
    summary: "Makes an API key, which is shown this once",
    right: "key.manage",
    query: {},
    headers: {},
    body: "key_request_v1",
    answer: { status: 201, description: "The key.", schema: objectOf({ ...key, key: is.text }) },
    otherAnswers: [],
    reserveId: null,
    isSecret: true,
    isProbe: false,
    async handle({ keys }, { body, caller }) {
      const { caller_id, scope, note, expires_at } = body as KeyRequestV1;
      const made = await keys.create(caller, {
        caller_id,
        ...(scope === undefined ? {} : { scope }),
        ...(note === undefined ? {} : { note }),
        ...(expires_at === undefined ? {} : { expiresAt: Date.parse(expires_at) }),
      });
      return made.ok ? ok(json({ ...shown(made.value), key: made.value.key }, 201)) : made;
    },
  },
  {
    method: "DELETE",
    path: "/api/v1/keys/:key_id",
    tag: "keys",
    summary: "Takes a key back: from now on it opens nothing",
    right: "key.manage",
    query: {},
    headers: {},
    body: null,
    answer: { status: 200, description: "The key.", schema: objectOf(key) },
    otherAnswers: [],
    reserveId: null,
    isSecret: false,
    isProbe: false,
    async handle({ keys }, { params, caller }) {
      const revoked = await keys.revoke(caller, params["key_id"] ?? "", "revoked over the API");
      return revoked.ok ? ok(json(shown(revoked.value))) : revoked;
    },
  },
];

function shown(key: StoredApiKey): object {
  const { key_id, caller_id, scope, note, created_at, created_by, expires_at, revoked_at, revoked_by } = key;
  return { key_id, caller_id, scope, note, created_at, created_by, expires_at, revoked_at, revoked_by };
}
