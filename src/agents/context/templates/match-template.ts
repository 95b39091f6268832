import type { AttentionTemplateV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Tier } from "#log";
import type { Aperture } from "../attention-service.ts";

export interface TemplateInput {
  readonly framework_id: string;
  readonly agent_class: string;
  readonly tier: Tier;
  readonly aperture: Aperture;
  readonly template_id?: string;
}

/**
 * The template for an agent: the one that was asked for, or the most specific of those that apply. Framework counts
 * more than class, class more than tier, tier more than aperture. Two that are equally specific are an error: which
 * context an agent reads is never left to the order of files. `undefined`: none applies.
 */
export function matchTemplate<T extends Pick<AttentionTemplateV1, "template_id" | "applies_to" | "only_by_name">>(
  templates: readonly T[],
  agent: TemplateInput,
): Result<T | undefined> {
  const applying = templates.filter((template) => applies(template, agent));
  if (agent.template_id !== undefined) {
    const chosen = applying.find((template) => template.template_id === agent.template_id);
    return chosen ? ok(chosen) : err(notForThisAgent(templates, agent, agent.template_id));
  }
  const offered = applying.filter((template) => !template.only_by_name);
  const best = Math.max(...offered.map(specificity));
  const winners = offered.filter((template) => specificity(template) === best);
  if (winners.length <= 1) return ok(winners[0]);
  const ids = winners.map((template) => template.template_id).toSorted();
  return err(
    domainError(
      "CONFIG_INVALID",
      `the attention templates ${ids.join(" and ")} apply equally to ${describe(agent)}: make one more specific in applies_to, or name one in the work order (attention_template_id)`,
      { details: { templates: ids } },
    ),
  );
}

function applies({ applies_to }: Pick<AttentionTemplateV1, "applies_to">, agent: TemplateInput): boolean {
  return (
    admits(applies_to.framework_id, agent.framework_id) &&
    admits(applies_to.agent_class, agent.agent_class) &&
    admits(applies_to.tier, agent.tier) &&
    admits(applies_to.aperture, agent.aperture)
  );
}

function admits(list: readonly string[] | undefined, value: string): boolean {
  return list === undefined || list.includes(value);
}

function specificity({ applies_to }: Pick<AttentionTemplateV1, "applies_to">): number {
  return (
    (applies_to.framework_id ? 8 : 0) +
    (applies_to.agent_class ? 4 : 0) +
    (applies_to.tier ? 2 : 0) +
    (applies_to.aperture ? 1 : 0)
  );
}

function notForThisAgent(
  templates: readonly Pick<AttentionTemplateV1, "template_id">[],
  agent: TemplateInput,
  template_id: string,
) {
  const known = templates.map((template) => template.template_id);
  const why = known.includes(template_id)
    ? `it does not apply to ${describe(agent)}`
    : `${agent.framework_id} names ${known.join(", ") || "none"}`;
  return domainError("NOT_AUTHORIZED", `the attention template ${template_id} cannot be used: ${why}`, {
    details: { template_id },
  });
}

function describe({ framework_id, agent_class, tier, aperture }: TemplateInput): string {
  return `${agent_class} under ${framework_id} on ${tier}, aperture ${aperture}`;
}
