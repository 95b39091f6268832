import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { add as addArchive } from "./runs/archive.ts";
import { add as addBlame } from "./runs/blame.ts";
import { add as addChange } from "./runs/change.ts";
import { add as addDiff } from "./runs/diff.ts";
import { add as addEdit } from "./runs/edit.ts";
import { add as addEvents } from "./runs/events.ts";
import { add as addList } from "./runs/list.ts";
import { add as addLog } from "./runs/log.ts";
import { add as addPatch } from "./runs/patch.ts";
import { add as addShow } from "./runs/show.ts";
import { add as addStart } from "./runs/start.ts";
import { add as addVerify } from "./runs/verify.ts";
import { add as addWatch } from "./runs/watch.ts";

export function register(program: Command, context: CliContext): void {
  const runs = program
    .command("runs")
    .description("runs: many work items towards one objective, decided by an app")
    .addHelpText(
      "after",
      '\nExamples:\n  $ writ runs start --app writer --objective "Explain leases" --wait\n  $ writ runs list\n',
    );
  const reading = [addShow, addLog, addDiff, addBlame, addEvents, addWatch, addVerify];
  for (const add of [addStart, addList, ...reading, addPatch, addEdit, addChange, addArchive]) add(runs, context);
}
