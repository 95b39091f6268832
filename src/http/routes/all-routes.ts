import type { Route } from "../route.ts";
import type { Services } from "../services.ts";
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

/** Everything that can be reached. */
export function allRoutes(services: Services): readonly Route[] {
  const routes: Route[] = [
    ...homeRoutes(services),
    ...sessionRoutes(services),
    ...sessionOpeningRoutes(services),
    ...sessionViewRoutes(services),
    ...streamRoutes(services),
    ...orderRoutes(services),
    ...approvalRoutes(services),
    ...runRoutes(services),
    ...blameRoutes(services),
    ...lawRoutes(services),
    ...policyRoutes(services),
    ...budgetRoutes(services),
    ...keyRoutes(services),
    ...metricRoutes(services),
  ];
  routes.unshift(...healthRoutes(services, () => routes));
  routes.push(...documentationRoutes(services, () => routes));
  return routes;
}
