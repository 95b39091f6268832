import { argument, type Command, type CommandGroup, expiryOf, flag, text, texts } from "#core/commands";
import { type Caller, isoTime, ok, type Result } from "#core/values";
import type { Keyring } from "../identity/keyring.ts";
import type { StoredApiKey } from "../keys/store/api-key-store.ts";

interface KeyParts {
  readonly keys: Keyring;
  localCaller(): Result<Caller>;
}

interface CreateOptions {
  readonly scope?: readonly string[];
  readonly days?: string;
  readonly note?: string;
}

const create: Command<"runtime", KeyParts, CreateOptions> = {
  name: "create",
  summary: "make a key; it is shown once, and only its hash is kept",
  needs: "runtime",
  json: "key, and what is kept of it except its hash",
  arguments: [argument("caller", "whom its holder acts as: a caller of identity.callers in writ.yaml")],
  options: {
    scope: texts("right", "of the caller's rights only these, such as read or tool:fs.*"),
    days: text("number", "how long it is good for; without it, until it is revoked"),
    note: text("text", "what it is for"),
  },
  about:
    "The person at this machine is known already. Others are named in writ.yaml first, with a role\n(viewer, operator, approver, admin):\n  identity: { callers: { ada@corp: { roles: [operator] } } }",
  examples: [
    "writ key create ci@corp --scope order.submit framework:FMWK-005 class:RESIDENT --days 90",
    "writ key create ada@corp --note laptop --json | jq -r .key",
  ],
  exits: null,
  run: async (parts, { arguments: [caller_id = ""], options: { scope, days, note }, context }) => {
    const by = parts.localCaller();
    if (!by.ok) return by;
    const expiresAt = expiryOf(days, context.clock);
    if (!expiresAt.ok) return expiresAt;
    const created = await parts.keys.create(by.value, {
      caller_id,
      ...(scope ? { scope } : {}),
      ...(note === undefined ? {} : { note }),
      ...(expiresAt.value === undefined ? {} : { expiresAt: expiresAt.value }),
    });
    if (!created.ok) return created;
    const { key: secret, key_sha256: _, ...about } = created.value;
    return ok({
      json: { key: secret, ...about },
      text: (screen) =>
        `${screen.bold(secret)}\n\nIts holder acts as ${caller_id}${scope ? `, with ${scope.join(", ")} only` : ""}${about.expires_at === null ? "" : `, until ${about.expires_at}`}.\nIt is not shown again. Take it back with: writ key revoke ${about.key_id}\n`,
    });
  },
};

interface ListOptions {
  readonly all?: boolean;
}

const list: Command<"runtime", KeyParts, ListOptions> = {
  name: "list",
  summary: "every key that opens something: whose, for what, until when",
  needs: "runtime",
  json: "keys with their state",
  arguments: [],
  options: { all: flag("those too that were revoked or have expired") },
  examples: ["writ key list --all"],
  exits: null,
  run: async ({ keys }, { options: { all = false }, context }) => {
    const found = await keys.list();
    if (!found.ok) return found;
    const now = isoTime(context.clock.now());
    const shown = found.value.filter((each) => all || stateOf(each, now) === "good");
    const { table } = await import("../../core/terminal/table.ts");
    return ok({
      json: { keys: shown.map(({ key_sha256: _, ...each }) => ({ ...each, state: stateOf(each, now) })) },
      text: (screen) =>
        shown.length === 0
          ? `There is no key${all ? "" : " that opens anything"}. Make one with: writ key create CALLER\n`
          : table(
              screen,
              ["key", "caller", "scope", "state", "expires", "note"],
              shown.map((each) => [
                screen.bold(each.key_id),
                each.caller_id,
                each.scope?.join(" ") ?? "all that the caller may",
                stateOf(each, now),
                each.expires_at ?? "never",
                each.note,
              ]),
            ),
    });
  },
};

interface RevokeOptions {
  readonly reason: string;
}

const revoke: Command<"runtime", KeyParts, RevokeOptions> = {
  name: "revoke",
  summary: "take a key back: from now on it opens nothing",
  needs: "runtime",
  json: "revoked: what is kept of the key except its hash",
  arguments: [argument("id", "as `writ key list` shows it")],
  options: { reason: text("text", "why, for the record", "revoked by hand") },
  examples: ['writ key revoke 7qk2m4c8z1v6t9ab --reason "lost laptop"'],
  exits: null,
  run: async (parts, { arguments: [key_id = ""], options: { reason } }) => {
    const by = parts.localCaller();
    if (!by.ok) return by;
    const revoked = await parts.keys.revoke(by.value, key_id, reason);
    if (!revoked.ok) return revoked;
    const { key_sha256: _, ...about } = revoked.value;
    return ok({
      json: { revoked: about },
      text: () => `revoked: ${key_id} of ${about.caller_id}, at ${about.revoked_at} by ${about.revoked_by}\n`,
    });
  },
};

export const key: CommandGroup<typeof create | typeof list | typeof revoke> = {
  name: "key",
  summary: "API keys for callers who are not at this machine",
  examples: ["writ key create ada@example.org", "writ key list"],
  members: [create, list, revoke],
};

function stateOf({ revoked_at, expires_at }: Pick<StoredApiKey, "revoked_at" | "expires_at">, now: string): string {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && expires_at <= now ? "expired" : "good";
}
