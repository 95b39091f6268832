import type { Approval } from "../api/types.ts";
import { labelOf } from "../pages/approval-texts.ts";
import type { StateName } from "../ui/state.tsx";

const shapes: Readonly<Record<Approval["state"], StateName>> = {
  open: "waiting",
  approved: "done",
  denied: "denied",
  expired: "idle",
  superseded: "idle",
};

type Stated = Pick<Approval, "kind" | "state" | "choice">;

export function shapeOf({ state }: Stated): StateName {
  return shapes[state];
}

/** A word that was said and does not count yet is named with "said". */
export function stateOf({ kind, state, choice }: Stated): string {
  return state === "open" && choice !== null ? `${labelOf({ kind }, choice)}, said` : state;
}
