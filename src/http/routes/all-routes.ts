import type { Route } from "../route.ts";
import type { Services } from "../services.ts";
import { approvalRoutes } from "./approvals.ts";
import { documentationRoutes } from "./documentation.ts";
import { healthRoutes } from "./health.ts";
import { keyRoutes } from "./keys.ts";
import { orderRoutes } from "./orders.ts";
import { runRoutes } from "./runs.ts";
import { sessionRoutes } from "./sessions.ts";
import { streamRoutes } from "./streams.ts";

/** Everything that can be reached. */
export function allRoutes(services: Services): readonly Route[] {
  const routes: Route[] = [
    ...healthRoutes(services),
    ...sessionRoutes(services),
    ...streamRoutes(services),
    ...orderRoutes(services),
    ...approvalRoutes(services),
    ...runRoutes(services),
    ...keyRoutes(services),
  ];
  routes.push(...documentationRoutes(services, () => routes));
  return routes;
}
