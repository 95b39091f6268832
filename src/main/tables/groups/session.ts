import type { CommandGroup } from "#core/commands";
import { sessionDiff } from "../../../proof/cli/session-diff.ts";
import { sessionEvents } from "../../../proof/cli/session-events.ts";
import { sessionExport } from "../../../proof/cli/session-export.ts";
import { sessionList } from "../../../proof/cli/session-list.ts";
import { sessionReplay } from "../../../proof/cli/session-replay.ts";
import { sessionShow } from "../../../proof/cli/session-show.ts";
import { sessionVerify } from "../../../proof/cli/session-verify.ts";
import { sessionFork } from "../../../work/cli/session-fork.ts";
import { sessionResolve } from "../../../work/cli/session-resolve.ts";
import { sessionResume } from "../../../work/cli/session-resume.ts";
import type { AnyCommand } from "../../opened.ts";

export const session: CommandGroup<AnyCommand> = {
  name: "session",
  summary: "what happened: look at sessions, replay them, prove them, take them up again",
  about: "A session may be named in short (7qk2), wherever that is unique, or as `last`.",
  examples: ["writ session list", "writ session show last", "writ session verify --all"],
  members: [
    sessionList,
    sessionShow,
    sessionEvents,
    sessionReplay,
    sessionVerify,
    sessionExport,
    sessionResume,
    sessionResolve,
    sessionFork,
    sessionDiff,
  ],
};
