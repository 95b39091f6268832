import type { Ran } from "./handlers/run-sandboxed.ts";
import type { RealizedWrite } from "./realized.ts";
import type { TurnCall } from "./turn.ts";

/** A write that a person has to approve first is not within the rights of a program: it waits in quarantine. */
export function mayLand(mandate: TurnCall["mandate"], path: string): boolean {
  const decision = mandate?.decide({ kind: "write", path });
  return decision === undefined || (decision.allowed && decision.approval === undefined);
}

/** Whether the order lets it be written at all, also where a person is asked first. */
export function isNamedByOrder(mandate: TurnCall["mandate"], path: string): boolean {
  return mandate === undefined || mandate.decide({ kind: "write", path }).allowed;
}

/** The writes that the turn had no right to make. */
export function outsideRights(ran: Ran, mayWrite: (path: string) => boolean): readonly RealizedWrite[] {
  return ran.realized.writes.filter(
    (write) =>
      write.kind === "refused" ||
      (!mayWrite(write.path) &&
        !(write.kind === "folder" && !write.existed && leadsToAllowed(write.path, ran, mayWrite))),
  );
}

/** A new folder above a file that may be written, or one that Writ made for the turn. */
function leadsToAllowed(folder: string, ran: Ran, mayWrite: (path: string) => boolean): boolean {
  if (ran.given.includes(folder)) return true;
  return ran.realized.writes.some((write) => write.path.startsWith(`${folder}/`) && mayWrite(write.path));
}
