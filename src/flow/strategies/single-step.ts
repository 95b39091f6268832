import { type AgentContext, converse } from "#agents";
import { domainError, err, isJsonObject, ok, type Result } from "#base";
import { Conversation } from "#providers";
import type { ExecutionContext, StrategyOutcome } from "../flow.ts";

/** Seed 000's strategy: one work order, one prompt, one response. Tools may be called on the way, within the turn limit. */
export async function answerInOneStep(
  agents: AgentContext,
  context: ExecutionContext,
): Promise<Result<StrategyOutcome>> {
  const [contract] = context.prompt_contracts;
  if (!contract)
    return err(
      domainError(
        "NOT_AUTHORIZED",
        `no prompt contract of ${context.framework_id} covers ${context.agent_class} on ${context.tier} for ${context.work_order.type}`,
        {
          details: { framework_id: context.framework_id, agent_class: context.agent_class },
        },
      ),
    );
  const said = await converse(
    agents,
    {
      role: "worker",
      agent_id: context.agent_id,
      conversation: new Conversation(agents.ids.sortable("CNV")),
      contract_id: contract.contract_id,
      usesTools: true,
    },
    [
      ...(contract.system === undefined ? [] : [{ role: "system" as const, content: contract.system }]),
      { role: "user" as const, content: render(contract.template, context, agents) },
    ],
  );
  return said.ok ? ok({ response: said.value.text, verdict: null, error: null }) : said;
}

/** `{{name}}` becomes a field of the order's input, `{{context}}` what attention assembled. */
function render(template: string, context: ExecutionContext, agents: AgentContext): string {
  const input = isJsonObject(context.work_order.input) ? context.work_order.input : {};
  return template.replaceAll(/\{\{\s*([a-z_]+)\s*\}\}/g, (_, name: string) => {
    if (name === "context") return agents.background;
    if (name === "prompt") return agents.prompt;
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  });
}
