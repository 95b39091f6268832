import type { PromptContractV1 } from "#core/contracts";
import { fillParameters, type Parameters } from "#core/expressions";
import { isJsonObject, ok, type Result } from "#core/values";

/** What a contract is filled with. */
export interface ContractValues {
  /** The order's input. */
  readonly input: unknown;
  /** What attention assembled. */
  readonly background: string;
  readonly prompt: string;
}

export interface RenderedContract {
  readonly system: string | undefined;
  readonly content: string;
}

/** `{{name}}` becomes a field of the order's input, `{{input}}` all of it, `{{context}}` what attention assembled, `{{prompt}}` what is asked. */
export function renderContract(contract: PromptContractV1, values: ContractValues): Result<RenderedContract> {
  const input: Parameters = isJsonObject(values.input) ? values.input : {};
  const all = {
    ...input,
    context: values.background,
    prompt: values.prompt === "" ? undefined : values.prompt,
    input: asBlock(input),
  };
  const content = fillParameters(contract.template, all, `the prompt contract ${contract.contract_id}`);
  if (!content.ok) return content;
  if (contract.system === undefined) return ok({ system: undefined, content: content.value.trim() });
  const system = fillParameters(contract.system, all, `the prompt contract ${contract.contract_id}`);
  return system.ok ? ok({ system: system.value, content: content.value.trim() }) : system;
}

/** JSON that stays in its block whatever it holds: a fence inside a string would have to stand at a line's beginning. */
function asBlock(input: object): string {
  return `\`\`\`json\n${JSON.stringify(input)}\n\`\`\``;
}
