import type { CommandGroup } from "../command.ts";
import type { AnyCommand } from "../openers.ts";
import { anchorCheck, anchorCheckpoint, anchorProve } from "./anchor-proofs.ts";
import { anchorRotate } from "./anchor-rotate.ts";

export const anchor: CommandGroup<AnyCommand> = {
  name: "anchor",
  summary: "signed roots over all sessions, to keep where nobody here can change them",
  examples: ["writ anchor checkpoint", "writ anchor prove last"],
  members: [anchorCheckpoint, anchorProve, anchorRotate, anchorCheck],
};
