import type { EventKinds } from "#log";
import { budgetKinds } from "../../agents/events/budget.ts";
import { contextKinds } from "../../agents/events/context.ts";
import { modelKinds } from "../../agents/events/model.ts";
import { reviewKinds } from "../../agents/events/review.ts";
import { roleKinds } from "../../agents/events/roles.ts";
import { skillKinds } from "../../agents/events/skills.ts";
import { serverKinds } from "../../effects/events/servers.ts";
import { toolKinds } from "../../effects/events/tools.ts";
import { turnKinds } from "../../effects/events/turns.ts";
import { hookKinds } from "../../governance/events/hooks.ts";
import { recordKinds } from "../../log/events/record.ts";
import { sessionKinds } from "../../log/events/session.ts";
import { approvalEvents } from "../../people/events/approvals.ts";
import { keyKinds } from "../../people/events/keys.ts";
import { signingKinds } from "../../proof/events/signing.ts";
import { flowKinds } from "../../work/events/flow.ts";
import { foreignKinds } from "../../work/events/foreign.ts";
import { orderKinds } from "../../work/events/orders.ts";
import { threadKinds } from "../../work/events/threads.ts";
import { cycleKinds } from "../../workflows/events/cycles.ts";
import { phaseKinds } from "../../workflows/events/phases.ts";
import { policyEventKinds } from "../../workflows/events/policies.ts";

/** Every type of event that `schemas/events/` names, with its kind: a contract without one does not compile. */
export const eventKinds: EventKinds = {
  ...sessionKinds,
  ...recordKinds,
  ...signingKinds,
  ...approvalEvents,
  ...keyKinds,
  ...hookKinds,
  ...modelKinds,
  ...budgetKinds,
  ...contextKinds,
  ...skillKinds,
  ...roleKinds,
  ...reviewKinds,
  ...toolKinds,
  ...serverKinds,
  ...turnKinds,
  ...cycleKinds,
  ...phaseKinds,
  ...policyEventKinds,
  ...orderKinds,
  ...flowKinds,
  ...threadKinds,
  ...foreignKinds,
};
