import { type Command, requiredText, text } from "#core/commands";
import { ok } from "#core/values";

interface WorkspaceParts {
  readonly root: string;
}

interface MigrateOptions {
  readonly from: string;
  readonly to: string;
}

export const migrate: Command<"workspace", WorkspaceParts, MigrateOptions> = {
  name: "migrate",
  summary: "move a workspace's sessions, budgets, runs and documents into PostgreSQL; begun again, it goes on",
  needs: "workspace",
  json: "how many of each were moved",
  arguments: [],
  options: {
    from: text("store", "what it is on now", "sqlite:planes/hot/store.db"),
    to: requiredText("store", "postgres://…; a password by reference, ${secret:NAME}"),
  },
  examples: ["writ migrate --to 'postgres://writ:${secret:DB}@db.example/writ'"],
  after:
    "End conductors, workers and servers first. Afterwards set `store` in writ.yaml; the old files stay as they are.",
  exits: null,
  run: async ({ root }, { options: { from, to }, context }) => {
    const { migrateWorkspace } = await import("../migrate/migrate-workspace.ts");
    const { clock, random, env, stderr } = context;
    const onStep = (step: string) => stderr.write(`  ${step}\n`);
    const moved = await migrateWorkspace({ root, from, to, clock, random, env, onStep });
    if (!moved.ok) return moved;
    return ok({
      json: { ...moved.value },
      text: () => "moved, and compared row by row and byte by byte; now set `store` in writ.yaml\n",
    });
  },
};
