import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { addEvents } from "./session-events.ts";
import { addExport } from "./session-export.ts";
import { addList } from "./session-list.ts";
import { addReplay } from "./session-replay.ts";
import { addShow } from "./session-show.ts";
import { addVerify } from "./session-verify.ts";

export function register(program: Command, context: CliContext): void {
  const session = program
    .command("session")
    .description("what happened: look at sessions, replay them, prove them, take them elsewhere")
    .addHelpText(
      "after",
      "\nA session may be named in short (7qk2), wherever that is unique, or as `last`.\n\nExamples:\n  $ writ session list\n  $ writ session show last\n  $ writ session verify --all\n",
    );
  for (const add of [addList, addShow, addEvents, addReplay, addVerify, addExport]) add(session, context);
}
