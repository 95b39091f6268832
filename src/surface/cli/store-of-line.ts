import type { CliContext } from "#core/commands";
import { CommandFailed } from "#core/commands";
import { domainError } from "#core/errors";
import { valueOf } from "./wanted-command.ts";

/**
 * `--store` is for one command what WRIT_STORE is for a shell: sessions, orders, budgets, approvals and runs are looked for
 * there together. A worker whose runs were on a database and whose orders in its own folder would do the work of another
 * machine a second time. For a command with a file of runs, `sqlite:` names that file.
 */
export function withStore(context: CliContext, argv: readonly string[], hasRunsFile: boolean): CliContext {
  const store = valueOf("--store", argv);
  if (store === undefined) return context;
  if (!/^(sqlite:.|postgres(ql)?:)/.test(store))
    throw new CommandFailed(
      domainError("CONFIG_INVALID", "after --store stands no store that this version knows", {
        details: { hint: "use sqlite:FILE or postgres://user@host:port/database" },
      }),
    );
  if (store.startsWith("sqlite:") && hasRunsFile) return context;
  return { ...context, env: { ...context.env, WRIT_STORE: store } };
}
