import type { PromptContractV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";

/** The agent that is about to speak, and the order that it speaks for. */
export interface ContractInput {
  readonly framework_id: string;
  readonly agent_class: string;
  readonly tier: string;
  readonly type: string;
  readonly role: string;
  /** Whether it speaks as a role of plan-work-review or a cycle, under a prompt of its own. */
  readonly inRoles?: boolean;
  /** Named by the work order; only this one is used then. */
  readonly contract_id?: string | undefined;
}

type Matched = Pick<PromptContractV1, "contract_id" | "applies_to">;
type AppliesTo = NonNullable<Matched["applies_to"]>;

/**
 * The contract for an agent: the one that the order names, or the most specific of those that apply. The type of the order
 * counts more than the role, the role more than the class, the class more than the tier, the tier more than the framework.
 * Two that are equally specific are an error: what an agent is asked is never left to the order of a list. In a flow of
 * roles only a contract that names the role counts: one without `roles` is a whole conversation of its own.
 */
export function matchContract<T extends Matched>(contracts: readonly T[], agent: ContractInput): Result<T | undefined> {
  const applying = contracts.filter((contract) => applies(contract.applies_to ?? {}, agent));
  if (agent.contract_id !== undefined) return ok(applying.find(({ contract_id }) => contract_id === agent.contract_id));
  const best = Math.max(...applying.map(specificity));
  const winners = applying.filter((contract) => specificity(contract) === best);
  if (winners.length <= 1) return ok(winners[0]);
  const ids = winners.map(({ contract_id }) => contract_id).toSorted();
  return err(
    domainError(
      "CONFIG_INVALID",
      `the prompt contracts ${ids.join(" and ")} of ${agent.framework_id} fit orders of type "${agent.type}" for ${agent.agent_class} on ${agent.tier} (role ${agent.role}) equally well`,
      {
        details: {
          contracts: ids,
          hint: "make one of them more specific in applies_to, or name one in the work order (prompt_contract_id)",
        },
      },
    ),
  );
}

function applies(to: AppliesTo, agent: ContractInput): boolean {
  return (
    admits(to.frameworks, agent.framework_id) &&
    admits(to.agent_classes, agent.agent_class) &&
    admits(to.tiers, agent.tier) &&
    (to.roles?.includes(agent.role) ?? !agent.inRoles) &&
    admits(to.types, agent.type)
  );
}

function admits(list: readonly string[] | undefined, value: string): boolean {
  return list === undefined || list.includes(value);
}

function specificity({ applies_to = {} }: Matched): number {
  const { types, roles, agent_classes, tiers, frameworks } = applies_to;
  return (types ? 16 : 0) + (roles ? 8 : 0) + (agent_classes ? 4 : 0) + (tiers ? 2 : 0) + (frameworks ? 1 : 0);
}

/** Pairs of contracts between which no rule decides for some order. */
export function contractTies(contracts: readonly Matched[]): readonly string[] {
  return contracts.flatMap((one, index) =>
    contracts
      .slice(index + 1)
      .filter((other) => specificity(one) === specificity(other) && overlaps(one.applies_to, other.applies_to))
      .map((other) => `${one.contract_id} and ${other.contract_id} fit the same orders equally well`),
  );
}

function overlaps(one: AppliesTo = {}, other: AppliesTo = {}): boolean {
  const shares = (left: readonly string[] | undefined, right: readonly string[] | undefined) =>
    left === undefined || right === undefined || left.some((each) => right.includes(each));
  return (
    shares(one.types, other.types) &&
    shares(one.roles, other.roles) &&
    shares(one.agent_classes, other.agent_classes) &&
    shares(one.tiers, other.tiers) &&
    shares(one.frameworks, other.frameworks)
  );
}
