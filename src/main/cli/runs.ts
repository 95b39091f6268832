import type { CommandGroup } from "#core/commands";
import { archive } from "../../runs/cli/archive.ts";
import { blame } from "../../runs/cli/blame.ts";
import { cancel, goOn, pause } from "../../runs/cli/change.ts";
import { diff } from "../../runs/cli/diff.ts";
import { edit } from "../../runs/cli/edit.ts";
import { events } from "../../runs/cli/events.ts";
import { list } from "../../runs/cli/list.ts";
import { log } from "../../runs/cli/log.ts";
import { patch } from "../../runs/cli/patch.ts";
import { show } from "../../runs/cli/show.ts";
import { start } from "../../runs/cli/start.ts";
import { verify } from "../../runs/cli/verify.ts";
import { watch } from "../../runs/cli/watch.ts";
import type { AnyCommand } from "./openers.ts";

export const runs: CommandGroup<AnyCommand> = {
  name: "runs",
  summary: "runs: many work items towards one objective, decided by an app",
  examples: ['writ runs start --app writer --objective "Explain leases" --wait', "writ runs list"],
  members: [start, list, show, log, diff, blame, events, watch, verify, patch, edit, pause, goOn, cancel, archive],
};
