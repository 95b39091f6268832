import { join } from "node:path";
import { countLimits, type LimitsReached, nodeFiles, packageRoot } from "#core/machine";
import { canonicalJson, type DisposalStack, ok, type Result } from "#core/values";
import type { GovernanceParts, SecretParts } from "#governance";
import type { EventLog } from "#log";
import type { SealedValues } from "#log/redaction";
import { configDefaults, type WorkspaceParts } from "#workspace";
import type { Budgeter } from "./budget/budgeter.ts";
import { createBudgeter } from "./budget/create-budgeter.ts";
import { createRateLimiter, type TakeRate } from "./budget/rate-limiter.ts";
import type { RateStore } from "./budget/request-rates/rate-store.ts";
import type { ShareStore } from "./budget/store/share-store.ts";
import { workspacePool } from "./budget/workspace-pool.ts";
import { attentionOfWorkspace, type WorkspaceAttention } from "./context/attention-of-workspace.ts";
import { modelTableOf } from "./models/adapters/files/model-table-file.ts";
import { openRouters, type RouterFor, type RouterSources } from "./models/open-routers.ts";
import { type UsdLimitFor, usdLimitOf } from "./models/price-of-profile.ts";
import { rolePromptReader } from "./roles/role-prompts.ts";
import type { Skills } from "./skills/discover-skills.ts";
import { skillLoader } from "./skills/load-skill.ts";
import { workspaceSkills } from "./skills/workspace-skills.ts";

export interface AgentsParts {
  readonly skills: Skills;
  /** A skill by its name, with what lies beside it. */
  readonly loadSkill: ReturnType<typeof skillLoader>;
  readonly budgeter: Budgeter;
  readonly attention: WorkspaceAttention;
  readonly routerFor: RouterFor;
  readonly usdLimitFor: UsdLimitFor;
  readonly rolePrompt: ReturnType<typeof rolePromptReader>;
  /** Which limits hold this process back, and how often. */
  readonly limits: LimitsReached;
}

export interface AgentsNeeds
  extends WorkspaceParts,
    SecretParts,
    Pick<GovernanceParts, "resolveFramework" | "contractStore" | "hooks">,
    Pick<RouterSources, "rehearsals" | "brought"> {
  readonly log: EventLog;
  readonly seals: SealedValues;
  readonly store: ShareStore & RateStore;
}

export async function openAgents(needs: AgentsNeeds, stack: DisposalStack): Promise<Result<AgentsParts>> {
  const { root, config, schemas, clock, ids, store, contractFiles } = needs;
  const skills = workspaceSkills(root, schemas, clock, contractFiles);
  const limits = countLimits(join(root, "planes", "hot"), clock);
  const take: TakeRate = (pace, ask) => store.takeRate("workspace", pace, ask);
  const budgeter = createBudgeter({
    ids,
    session: config.session_budget,
    pool: workspacePool(store, config, clock),
    rate: createRateLimiter(config.rate_limits, clock, take, () => limits.reached("rate_limits")),
    // A pace that the workspace states holds for every model; the default one is there for vendors' servers.
    pacesFreeCalls: canonicalJson(config.rate_limits) !== canonicalJson(configDefaults.rate_limits),
  });
  const attention = attentionOfWorkspace({ ...needs, shipped: packageRoot, files: nodeFiles, contractFiles });
  stack.defer(() => attention.close());
  const models = modelTableOf(root, schemas);
  return ok({
    skills,
    loadSkill: skillLoader(skills, contractFiles, root),
    budgeter,
    attention,
    usdLimitFor: usdLimitOf(config, models),
    routerFor: openRouters({ ...needs, budgeter, skills, models }),
    rolePrompt: rolePromptReader(contractFiles, [root, packageRoot]),
    limits,
  });
}
