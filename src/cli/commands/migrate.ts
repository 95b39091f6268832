import type { Command } from "commander";
import { ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { workspaceOf } from "../workspace-of.ts";

interface MigrateOptions {
  readonly from: string;
  readonly to: string;
}

export function register(program: Command, context: CliContext): void {
  program
    .command("migrate")
    .description("move a workspace's sessions, budgets, runs and documents into PostgreSQL; begun again, it goes on")
    .option("--from <store>", "what it is on now", "sqlite:planes/hot/store.db")
    .requiredOption("--to <store>", "postgres://…; a password by reference, ${secret:NAME}")
    .addHelpText(
      "after",
      "\nExample:\n  $ writ migrate --to 'postgres://writ:${secret:DB}@db.example/writ'\nEnd conductors, workers and servers first. Afterwards set `store` in writ.yaml; the old files stay as they are.\n",
    )
    .action(
      act<MigrateOptions>(context, async (invocation) => {
        const root = await workspaceOf(invocation);
        if (!root.ok) return root;
        const { migrateWorkspace } = await import("#compose");
        const { clock, random, env, stderr } = context;
        const { from, to } = invocation.options;
        const onStep = (step: string) => stderr.write(`  ${step}\n`);
        const moved = await migrateWorkspace({ root: root.value, from, to, clock, random, env, onStep });
        if (!moved.ok) return moved;
        return ok({
          json: { ...moved.value },
          text: () => "moved, and compared row by row and byte by byte; now set `store` in writ.yaml\n",
        });
      }),
    );
}
