import type { CommandGroup } from "../command.ts";
import type { AnyCommand } from "../openers.ts";
import { sessionDiff } from "./session-diff.ts";
import { sessionEvents } from "./session-events.ts";
import { sessionExport } from "./session-export.ts";
import { sessionFork } from "./session-fork.ts";
import { sessionList } from "./session-list.ts";
import { sessionReplay } from "./session-replay.ts";
import { sessionResolve } from "./session-resolve.ts";
import { sessionResume } from "./session-resume.ts";
import { sessionShow } from "./session-show.ts";
import { sessionVerify } from "./session-verify.ts";

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
