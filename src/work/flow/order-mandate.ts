import { matchSkill, type Skill, selectSkill } from "#agents";
import type { MandateV1, PromptContractV1, WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, ok, type Result, sha256 } from "#core/values";
import {
  choosePack,
  compileMandate,
  createMandate,
  type Decision,
  type Mandate,
  type MandateInput,
} from "#governance/mandate";
import type { Authorization } from "#people";
import { valuePolicies } from "#workflows";
import type { ResolvedAgent } from "../steps/2-resolve-framework.ts";
import type { FlowDependencies } from "./flow.ts";
import { narrowByGrants } from "./narrow-by-grants.ts";

/** The skill that an order goes with, and why. */
export type SkillMatch = ReturnType<typeof matchSkill>;

/** Compiles what an order may do, from the order and everything that it runs under. */
export async function mandateOf(
  deps: Pick<
    FlowDependencies,
    | "config"
    | "schemas"
    | "skills"
    | "usdLimitFor"
    | "claudePermissions"
    | "workflows"
    | "declaredTools"
    | "approvedTools"
  >,
  order: WorkOrder,
  under: {
    readonly agent: ResolvedAgent;
    readonly contract: PromptContractV1 | undefined;
    /** What the order was granted by. */
    readonly bounds: Authorization["bounds"];
    readonly skill: SkillMatch;
    /** The mandate of the order that handed it down. */
    readonly within: MandateV1 | undefined;
    /** Whether a hook ordered it: the person whom its workspace's rules would ask has agreed to the hook. */
    readonly isOfHook?: boolean;
    /** The session goes on under the mandate that it began with, whatever became of policies since. */
    readonly isRecorded: boolean;
  },
): Promise<Result<CompiledMandate>> {
  const { agent, contract, bounds, skill, within } = under;
  const settings = await deps.claudePermissions();
  if (!settings.ok) return settings;
  const named = choosePack({ order, framework: agent.framework, within });
  if (!named.ok) return named;
  const packs = await valuePolicies(deps.workflows, deps.schemas, named.value);
  if (!packs.ok && !under.isRecorded) return packs;
  const { selected } = skill;
  const input: MandateInput = {
    order,
    framework: agent.framework,
    skill: selected ? { ...selected, declaredTools: selected.frontmatter["allowed-tools"] ?? [] } : null,
    contract,
    config: configFor(deps, order),
    further: narrowByGrants(bounds),
    within,
    settings: under.isOfHook && settings.value ? refusalsOf(settings.value) : settings.value,
    packs: packs.ok ? packs.value.map((pack) => ({ ...pack })) : [],
    declaredTools: deps.declaredTools(),
    approvedTools: deps.approvedTools(),
  };
  const mandate = createMandate(compileMandate(input), deps.schemas);
  return mandate.ok ? ok({ input, mandate: mandate.value, skill }) : mandate;
}

function refusalsOf({ rules }: NonNullable<MandateInput["settings"]>): NonNullable<MandateInput["settings"]> {
  return { rules: rules.filter(({ effect }) => effect === "deny") };
}

/** Where nothing states a limit on money, there is one if the prices of the profile's models are known. */
export function configFor(
  { config, usdLimitFor }: Pick<FlowDependencies, "config" | "usdLimitFor">,
  { profile }: WorkOrder,
): FlowDependencies["config"] {
  const usd_limit = config.default_budget.usd_limit ?? usdLimitFor(profile);
  return usd_limit === undefined ? config : { ...config, default_budget: { ...config.default_budget, usd_limit } };
}

/** Types of orders that use the skill whose triggers stand in the prompt. Any other uses none unless it names one. */
export const skillTypes: readonly string[] = ["solo", "reviewed-solo", "plan-work-review"];

export interface CompiledMandate {
  readonly input: MandateInput;
  readonly mandate: Mandate;
  /** The skill that the order runs with, and what chose it. */
  readonly skill: SkillMatch;
}

/** The skill that the order names, or the one whose triggers stand in its prompt. A single step uses none unless named. */
export async function skillOf(
  { skills }: Pick<FlowDependencies, "skills">,
  order: WorkOrder,
  prompt: string,
): Promise<Result<SkillMatch>> {
  const discovered = await skills.discover();
  if (!discovered.ok) return discovered;
  if (order.skill === undefined)
    return ok(matchSkill(skillTypes.includes(order.type) ? prompt : "", discovered.value.skills));
  const named = selectSkill(order.skill, discovered.value.skills);
  if (named.ok) return named;
  return err(
    domainError("WORK_ORDER_INVALID", `the work order names a skill that is not there: ${named.error.message}`),
  );
}

/** Whether an order may be given a skill's instructions. Those that come with Writ are no files of the workspace. */
export function decideSkill({ decide }: Pick<Mandate, "decide">, { origin, path }: Skill): Decision | undefined {
  return origin === "shipped" ? undefined : decide({ kind: "load", path });
}

/** The skills that an order's agents may choose from. */
export function skillsWithin(mandate: Pick<Mandate, "decide">, skills: readonly Skill[]): readonly Skill[] {
  return skills.filter((skill) => decideSkill(mandate, skill)?.allowed !== false);
}

/**
 * The mandate that a session goes on under: the one that it began with. A session from before mandates were recorded gets the
 * one that its order gives now, without limits on reading and unjudged values, for there was neither.
 */
export function recordedMandate(
  deps: Pick<FlowDependencies, "schemas">,
  { input, mandate }: CompiledMandate,
  recorded: { readonly mandate?: MandateV1; readonly mandate_hash?: string },
): Result<Mandate> {
  if (recorded.mandate_hash === mandate.hash) return ok(mandate);
  if (recorded.mandate === undefined)
    return createMandate(compileMandate({ ...input, readsUnheld: true, valuesUnjudged: true }), deps.schemas);
  if (sha256(canonicalJson(recorded.mandate)) === recorded.mandate_hash)
    return createMandate(recorded.mandate, deps.schemas);
  const earlier = createMandate(compileMandate({ ...input, valuesUnjudged: true }), deps.schemas);
  if (earlier.ok && recorded.mandate_hash === earlier.value.hash) return earlier;
  return err(
    domainError(
      "REPLAY_DIVERGED",
      "the mandate of this session holds text that is not in its record, and what its documents give now is not the same",
      { details: { recorded: recorded.mandate_hash, now: mandate.hash } },
    ),
  );
}
