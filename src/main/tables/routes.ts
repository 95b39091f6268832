import type { Route } from "#core/routes";
import { budgetRoutes } from "../../agents/http/budgets.ts";
import { healthRoutes } from "../../operate/http/health.ts";
import { homeRoutes } from "../../operate/http/home.ts";
import { approvalRoutes } from "../../people/http/approvals.ts";
import { keyRoutes } from "../../people/http/keys.ts";
import { sessionOpeningRoutes } from "../../proof/http/session-opening.ts";
import { sessionViewRoutes } from "../../proof/http/session-views.ts";
import { sessionRoutes } from "../../proof/http/sessions.ts";
import { streamRoutes } from "../../proof/http/streams.ts";
import { blameRoutes } from "../../runs/http/blame.ts";
import { runRoutes } from "../../runs/http/runs.ts";
import { documentationRoutes } from "../../surface/http/documentation.ts";
import { metricRoutes } from "../../surface/http/routes/metrics.ts";
import { signInRoutes } from "../../surface/http/routes/sign-in.ts";
import { contractRoutes } from "../../work/http/contracts.ts";
import { haltRoutes } from "../../work/http/halts.ts";
import { orderRoutes } from "../../work/http/orders.ts";
import { threadRoutes } from "../../work/http/threads.ts";
import { policyRoutes } from "../../workflows/http/policies.ts";
import type { ServerParts } from "../server/server-parts.ts";

/** Everything that the API serves, in the order of its description. A row that needs a part which the server lacks does not compile. */
export const allRoutes: readonly Route<ServerParts>[] = [
  ...healthRoutes,
  ...homeRoutes,
  ...sessionRoutes,
  ...sessionOpeningRoutes,
  ...sessionViewRoutes,
  ...streamRoutes,
  ...orderRoutes,
  ...threadRoutes,
  ...haltRoutes,
  ...approvalRoutes,
  ...runRoutes,
  ...blameRoutes,
  ...contractRoutes,
  ...policyRoutes,
  ...budgetRoutes,
  ...keyRoutes,
  ...signInRoutes,
  ...metricRoutes,
  ...documentationRoutes,
];
