import type { EventKinds } from "../event-kind.ts";
import { budgetKinds } from "./agents/budget.ts";
import { contextKinds } from "./agents/context.ts";
import { modelKinds } from "./agents/model.ts";
import { reviewKinds } from "./agents/review.ts";
import { roleKinds } from "./agents/roles.ts";
import { skillKinds } from "./agents/skills.ts";
import { serverKinds } from "./effects/servers.ts";
import { toolKinds } from "./effects/tools.ts";
import { turnKinds } from "./effects/turns.ts";
import { hookKinds } from "./governance/hooks.ts";
import { recordKinds } from "./log/record.ts";
import { sessionKinds } from "./log/session.ts";
import { approvalKinds } from "./people/approvals.ts";
import { keyKinds } from "./people/keys.ts";
import { signingKinds } from "./proof/signing.ts";
import { flowKinds } from "./work/flow.ts";
import { orderKinds } from "./work/orders.ts";
import { cycleKinds } from "./workflows/cycles.ts";
import { phaseKinds } from "./workflows/phases.ts";
import { policyEventKinds } from "./workflows/policies.ts";

/** Every type of event that `schemas/events/` names, with its kind: a contract without one does not compile. */
export const eventKinds: EventKinds = {
  ...sessionKinds,
  ...recordKinds,
  ...signingKinds,
  ...approvalKinds,
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
};
