import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Framework } from "#governance";
import { tiers } from "#log";
import type { FlowDependencies } from "../flow/flow.ts";

export interface ResolvedAgent {
  readonly framework: Framework;
  readonly agent_id: string;
  readonly agent_class: string;
  readonly tier: "hot" | "ho2" | "ho1";
}

/** Step 2. The framework says what an agent under it may be; an agent does not create itself. */
export async function resolveFramework(deps: FlowDependencies, order: WorkOrder): Promise<Result<ResolvedAgent>> {
  const framework = await deps.resolveFramework(order.framework_id);
  if (!framework.ok) return framework;
  const { manifest } = framework.value;
  if (tiers.indexOf(order.plane_id) < tiers.indexOf(manifest.plane_id))
    return err(
      domainError(
        "NOT_AUTHORIZED",
        `${order.framework_id} is a framework of the plane ${manifest.plane_id}: orders under it run there or below, not on ${order.plane_id}`,
        {
          details: {
            framework_id: order.framework_id,
            plane_id: order.plane_id,
            framework_plane_id: manifest.plane_id,
          },
        },
      ),
    );
  const agent_class = order.agent_class ?? manifest.default_agent_class;
  if (!manifest.agent_classes.includes(agent_class))
    return err(
      domainError(
        "AGENT_CLASS_NOT_PERMITTED",
        `${order.framework_id} permits ${manifest.agent_classes.join(", ")}, not ${agent_class}`,
        {
          details: { framework_id: order.framework_id, agent_class, permitted: manifest.agent_classes },
        },
      ),
    );
  return ok({
    framework: framework.value,
    agent_id: deps.ids.agentId(order.framework_id, order.work_order_id),
    agent_class,
    tier: order.plane_id,
  });
}

/** A spec that neither the framework nor a registry names says nothing about what the order is held to. */
export function checkSpec({ spec_id, framework_id }: WorkOrder, { specs }: Framework): Result<void> {
  if (specs.includes(spec_id)) return ok(undefined);
  return err(
    domainError(
      "WORK_ORDER_INVALID",
      `spec_id of the work order: ${spec_id} is neither among expected_specs of ${framework_id} nor in a specs_registry.csv`,
      { details: { where: "spec_id", spec_id, framework_id } },
    ),
  );
}
