import type { CommandGroup } from "#core/commands";
import { anchorAccept } from "../../../operate/cli/anchor-accept.ts";
import { anchorRotate } from "../../../operate/cli/anchor-rotate.ts";
import { anchorCheck, anchorCheckpoint, anchorProve } from "../../../proof/cli/anchor-proofs.ts";
import type { AnyCommand } from "../../opened.ts";

export const anchor: CommandGroup<AnyCommand> = {
  name: "anchor",
  summary: "signed roots over all sessions, to keep where no process here can change them",
  examples: ["writ anchor checkpoint", "writ anchor prove last"],
  members: [anchorCheckpoint, anchorProve, anchorRotate, anchorAccept, anchorCheck],
};
