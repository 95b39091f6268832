import type { Command } from "commander";
import { isoTime, ok, type Result } from "#base";
import type { Runtime } from "#compose";
import type { StoredApiKey } from "#store";
import { type Answer, act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { expiryOf } from "../expiry-of.ts";
import { withRuntime } from "../with-runtime.ts";

interface CreateOptions {
  readonly scope?: readonly string[];
  readonly days?: string;
  readonly note?: string;
}

export function register(program: Command, context: CliContext): void {
  const key = program
    .command("key")
    .description("API keys for callers who are not at this machine")
    .addHelpText("after", "\nExamples:\n  $ writ key create ada@example.org\n  $ writ key list\n");
  key
    .command("create")
    .description("make a key; it is shown once, and only its hash is kept")
    .argument("<caller>", "whom its holder acts as: a caller of identity.callers in writ.yaml")
    .option("--scope <right...>", "of the caller's rights only these, such as read or tool:fs.*")
    .option("--days <number>", "how long it is good for; without it, until it is revoked")
    .option("--note <text>", "what it is for")
    .addHelpText(
      "after",
      "\nWhoever is at this machine is known already. Others are named in writ.yaml first, with a role\n(viewer, operator, approver, admin):\n  identity: { callers: { ada@corp: { roles: [operator] } } }\n\nExamples:\n  $ writ key create ci@corp --scope order.submit framework:FMWK-005 class:RESIDENT --days 90\n  $ writ key create ada@corp --note laptop --json | jq -r .key\n",
    )
    .action(
      act<CreateOptions>(context, (invocation) =>
        withRuntime(invocation, (runtime) =>
          create(runtime, context, invocation.arguments[0] ?? "", invocation.options),
        ),
      ),
    );
  key
    .command("list")
    .description("every key that opens something: whose, for what, until when")
    .option("--all", "those too that were revoked or have expired")
    .addHelpText("after", "\nExample:\n  $ writ key list --all\n")
    .action(
      act<{ readonly all?: boolean }>(context, (invocation) =>
        withRuntime(invocation, (runtime) => list(runtime, context, invocation.options.all ?? false)),
      ),
    );
  key
    .command("revoke")
    .description("take a key back: from now on it opens nothing")
    .argument("<id>", "as `writ key list` shows it")
    .option("--reason <text>", "why, for the record", "revoked by hand")
    .addHelpText("after", '\nExample:\n  $ writ key revoke 7qk2m4c8z1v6t9ab --reason "lost laptop"\n')
    .action(
      act<{ readonly reason: string }>(context, (invocation) =>
        withRuntime(invocation, (runtime) => revoke(runtime, invocation.arguments[0] ?? "", invocation.options.reason)),
      ),
    );
}

async function create(
  runtime: Runtime,
  { clock }: CliContext,
  caller_id: string,
  { scope, days, note }: CreateOptions,
): Promise<Result<Answer>> {
  const by = runtime.localCaller();
  if (!by.ok) return by;
  const expiresAt = expiryOf(days, clock);
  if (!expiresAt.ok) return expiresAt;
  const created = await runtime.keys.create(by.value, {
    caller_id,
    ...(scope ? { scope } : {}),
    ...(note === undefined ? {} : { note }),
    ...(expiresAt.value === undefined ? {} : { expiresAt: expiresAt.value }),
  });
  if (!created.ok) return created;
  const { key, key_sha256: _, ...about } = created.value;
  return ok({
    json: { key, ...about },
    text: (screen) =>
      `${screen.bold(key)}\n\nIts holder acts as ${caller_id}${scope ? `, with ${scope.join(", ")} only` : ""}${about.expires_at === null ? "" : `, until ${about.expires_at}`}.\nIt is not shown again. Take it back with: writ key revoke ${about.key_id}\n`,
  });
}

async function list(runtime: Runtime, { clock }: CliContext, all: boolean): Promise<Result<Answer>> {
  const keys = await runtime.keys.list();
  if (!keys.ok) return keys;
  const now = isoTime(clock.now());
  const shown = keys.value.filter((key) => all || stateOf(key, now) === "good");
  const { table } = await import("../output/table.ts");
  return ok({
    json: { keys: shown.map(({ key_sha256: _, ...key }) => ({ ...key, state: stateOf(key, now) })) },
    text: (screen) =>
      shown.length === 0
        ? `There is no key${all ? "" : " that opens anything"}. Make one with: writ key create CALLER\n`
        : table(
            screen,
            ["key", "caller", "scope", "state", "expires", "note"],
            shown.map((key) => [
              screen.bold(key.key_id),
              key.caller_id,
              key.scope?.join(" ") ?? "all that the caller may",
              stateOf(key, now),
              key.expires_at ?? "never",
              key.note,
            ]),
          ),
  });
}

async function revoke(runtime: Runtime, key_id: string, reason: string): Promise<Result<Answer>> {
  const by = runtime.localCaller();
  if (!by.ok) return by;
  const revoked = await runtime.keys.revoke(by.value, key_id, reason);
  if (!revoked.ok) return revoked;
  const { key_sha256: _, ...key } = revoked.value;
  return ok({
    json: { revoked: key },
    text: () => `revoked: ${key_id} of ${key.caller_id}, at ${key.revoked_at} by ${key.revoked_by}\n`,
  });
}

function stateOf({ revoked_at, expires_at }: Pick<StoredApiKey, "revoked_at" | "expires_at">, now: string): string {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && expires_at <= now ? "expired" : "good";
}
