import type { Route } from "../route.ts";
import type { ServerParts } from "../server-parts.ts";
import { approvalRoutes } from "./approvals.ts";
import { blameRoutes } from "./blame.ts";
import { budgetRoutes } from "./budgets.ts";
import { documentationRoutes } from "./documentation.ts";
import { healthRoutes } from "./health.ts";
import { homeRoutes } from "./home.ts";
import { keyRoutes } from "./keys.ts";
import { lawRoutes } from "./law.ts";
import { metricRoutes } from "./metrics.ts";
import { orderRoutes } from "./orders.ts";
import { policyRoutes } from "./policies.ts";
import { runRoutes } from "./runs.ts";
import { sessionOpeningRoutes } from "./session-opening.ts";
import { sessionViewRoutes } from "./session-views.ts";
import { sessionRoutes } from "./sessions.ts";
import { streamRoutes } from "./streams.ts";

/** Everything that the API serves, in the order of its description. A row that needs a part which the server lacks does not compile. */
export const allRoutes: readonly Route<ServerParts>[] = [
  ...healthRoutes,
  ...homeRoutes,
  ...sessionRoutes,
  ...sessionOpeningRoutes,
  ...sessionViewRoutes,
  ...streamRoutes,
  ...orderRoutes,
  ...approvalRoutes,
  ...runRoutes,
  ...blameRoutes,
  ...lawRoutes,
  ...policyRoutes,
  ...budgetRoutes,
  ...keyRoutes,
  ...metricRoutes,
  ...documentationRoutes,
];
