import type { CommandGroup } from "#core/commands";
import { archive } from "./archive.ts";
import { blame } from "./blame.ts";
import { cancel, goOn, pause } from "./change.ts";
import { diff } from "./diff.ts";
import { edit } from "./edit.ts";
import { events } from "./events.ts";
import { list } from "./list.ts";
import { log } from "./log.ts";
import { patch } from "./patch.ts";
import { show } from "./show.ts";
import { start } from "./start.ts";
import { verify } from "./verify.ts";
import { watch } from "./watch.ts";

type Member =
  | typeof start
  | typeof list
  | typeof show
  | typeof log
  | typeof diff
  | typeof blame
  | typeof events
  | typeof watch
  | typeof verify
  | typeof patch
  | typeof edit
  | typeof pause
  | typeof cancel
  | typeof archive;

export const runs: CommandGroup<Member> = {
  name: "runs",
  summary: "runs: many work items towards one objective, decided by an app",
  examples: ['writ runs start --app writer --objective "Explain leases" --wait', "writ runs list"],
  members: [start, list, show, log, diff, blame, events, watch, verify, patch, edit, pause, goOn, cancel, archive],
};
