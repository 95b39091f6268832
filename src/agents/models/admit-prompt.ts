import type { PromptContractV1 } from "#core/contracts";
import { domainError, type ErrorCode } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { PromptRequest } from "./prompt.ts";

/**
 * Whether this author may send this prompt: the caller is known, the order's own budget pays, the framework permits the
 * agent's class, and a contract of the framework covers all of that. Without a contract the author is a role, and its role
 * prompt serves as the contract.
 */
export function admitPrompt(
  request: PromptRequest,
  model: string,
  needsContract = false,
): Result<PromptContractV1 | null> {
  const { author, budget, contract_id } = request;
  if (author.caller_id === "" || author.agent_id === "")
    return refuse("NOT_AUTHORIZED", "a prompt without a caller and an agent belongs to nobody");
  if (budget.work_order_id !== author.work_order_id || budget.session_id !== request.recorder.session_id)
    return refuse(
      "NOT_AUTHORIZED",
      `${author.agent_id} acts for ${author.work_order_id} in ${request.recorder.session_id}, and the budget it names is that of ${budget.work_order_id} in ${budget.session_id}`,
    );
  const { agent_classes, contracts, mandate } = author.inForce;
  if (!agent_classes.includes(author.agent_class))
    return refuse(
      "AGENT_CLASS_NOT_PERMITTED",
      `${author.framework_id} permits ${agent_classes.join(", ") || "no class"}, not ${author.agent_class}`,
    );
  const called = mandate.decide({ kind: "model", model });
  if (!called.allowed) return refuse("NOT_AUTHORIZED", `the model ${model} may not be called: ${called.reason}`);
  if (contract_id === null && needsContract)
    return refuse("NOT_AUTHORIZED", `no prompt contract covers the prompt of the ${request.role} (contracts_required)`);
  if (contract_id === null) return ok(null);
  const contract = contracts.find((each) => each.contract_id === contract_id);
  if (!contract)
    return refuse("NOT_AUTHORIZED", `${author.framework_id} has no prompt contract ${contract_id}; it cannot be sent`);
  const against = whyNotCovered(contract, request, model);
  return against === undefined
    ? ok(contract)
    : refuse("NOT_AUTHORIZED", `the prompt contract ${contract_id} is not for ${against}`);
}

/** The part that the contract does not cover, as text; undefined when it covers the prompt. An absent list covers everything. */
function whyNotCovered(
  { applies_to = {}, boundary }: PromptContractV1,
  { author, role }: PromptRequest,
  model: string,
): string | undefined {
  const asked: readonly (readonly [string, readonly string[] | undefined, string])[] = [
    ["the framework", applies_to.frameworks, author.framework_id],
    ["agents of the class", applies_to.agent_classes, author.agent_class],
    ["the tier", applies_to.tiers, author.tier],
    ["the role", applies_to.roles, role],
    ["orders of the type", applies_to.types, author.order_type],
    ["the model", boundary?.model === undefined ? undefined : [boundary.model], model],
  ];
  const left = asked.find(([, list, value]) => list !== undefined && !list.includes(value));
  return left && `${left[0]} ${left[2]} (it names ${left[1]?.join(", ") || "none"})`;
}

function refuse(code: ErrorCode, message: string): Result<never> {
  return err(domainError(code, message));
}
