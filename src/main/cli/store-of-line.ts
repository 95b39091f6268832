import type { CliContext } from "#core/commands";
import { CommandFailed } from "#core/commands";
import { domainError } from "#core/errors";
import { valueOf, wantedCommand } from "./wanted-command.ts";

/** Commands of the kernel: a file after their `--store` holds runs alone, beside the workspace's shared store. */
const ofTheKernel: ReadonlySet<string> = new Set(["runs", "conductor", "worker", "up", "serve", "mcp"]);

/**
 * `--store` is for one command what WRIT_STORE is for a shell: sessions, orders, budgets, approvals and runs are looked for
 * there together. A worker whose runs were on a database and whose orders in its own folder would do the work of another
 * machine a second time.
 */
export function withStore(context: CliContext, argv: readonly string[]): CliContext {
  const store = valueOf("--store", argv);
  if (store === undefined) return context;
  if (!/^(sqlite:.|postgres(ql)?:)/.test(store))
    throw new CommandFailed(
      domainError("CONFIG_INVALID", "after --store stands no store that this version knows", {
        details: { hint: "use sqlite:FILE or postgres://user@host:port/database" },
      }),
    );
  if (store.startsWith("sqlite:") && ofTheKernel.has(wantedCommand(argv) ?? "")) return context;
  return { ...context, env: { ...context.env, WRIT_STORE: store } };
}
