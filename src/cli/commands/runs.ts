import type { CommandGroup } from "../command.ts";
import type { AnyCommand } from "../openers.ts";
import { archive } from "./runs/archive.ts";
import { blame } from "./runs/blame.ts";
import { cancel, goOn, pause } from "./runs/change.ts";
import { diff } from "./runs/diff.ts";
import { edit } from "./runs/edit.ts";
import { events } from "./runs/events.ts";
import { list } from "./runs/list.ts";
import { log } from "./runs/log.ts";
import { patch } from "./runs/patch.ts";
import { show } from "./runs/show.ts";
import { start } from "./runs/start.ts";
import { verify } from "./runs/verify.ts";
import { watch } from "./runs/watch.ts";

export const runs: CommandGroup<AnyCommand> = {
  name: "runs",
  summary: "runs: many work items towards one objective, decided by an app",
  examples: ['writ runs start --app writer --objective "Explain leases" --wait', "writ runs list"],
  members: [start, list, show, log, diff, blame, events, watch, verify, patch, edit, pause, goOn, cancel, archive],
};
