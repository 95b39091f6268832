import type { SessionAudits } from "#proof";
import { LabelCheck } from "./relabel.ts";

/** What governance checks of every record that is proved. */
export const sessionAudits: SessionAudits = [
  () => {
    const check = new LabelCheck();
    return {
      kind: "value_label_drift",
      add: (event) => check.add(event),
      wants: () => check.wants,
      give: (session_id, events) => check.give(session_id, events),
    };
  },
];
