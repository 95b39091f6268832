import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createAttention } from "#attention";
import {
  type Clock,
  createIds,
  domainError,
  err,
  keyedSha256,
  messageOf,
  ok,
  type Random,
  type Result,
  sha256,
} from "#base";
import { createBudgeter } from "#budget";
import { createRedactor, type EventLog, JsonlLog } from "#events";
import { createFlowRunner, type FlowOptions, type FlowRequest, type FlowResult } from "#flow";
import { loadFramework } from "#governance";
import { createHooks, type Hooks, loadHooks, workerModules } from "#hooks";
import { createRouter, type Router } from "#providers";
import { loadRegistry, type SchemaRegistry, type WorkOrderV1 } from "#schemas";
import { createSkills, readProjectContext, type Skills, skillRoots } from "#skills";
import { openSharedStore } from "#store";
import { createToolRegistry, registerBuiltins, type ToolRegistry } from "#tools";
import { nodeFiles } from "../adapters/node-files.ts";
import { nodeProcesses } from "../adapters/node-processes.ts";
import { type Environment, loadConfig } from "../config/load-config.ts";
import { selectProfile } from "../config/select-profile.ts";
import type { WritConfig } from "../config/writ-config.ts";
import { flowDispatch } from "./flow-dispatch.ts";
import { createIntake } from "./intake.ts";
import { packageRoot } from "./package-root.ts";
import { pinnedLaw } from "./pinned-law.ts";
import { providerOf, runtimeProfile } from "./provider-of-profile.ts";
import { rolePromptReader } from "./role-prompts.ts";
import { type OrderWishes, writeWorkOrder } from "./write-work-order.ts";

export interface RuntimeOptions {
  /** The workspace, absolute. */
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Environment;
  readonly version: string;
}

/** A workspace, wired. */
export interface Runtime {
  readonly root: string;
  readonly config: WritConfig;
  readonly schemas: SchemaRegistry;
  readonly log: EventLog;
  readonly hooks: Hooks;
  readonly skills: Skills;
  readonly tools: ToolRegistry;
  /** Who acts when nobody else is named: the local user. */
  readonly caller: string;
  writeWorkOrder(prompt: string, wishes?: OrderWishes): Promise<Result<WorkOrderV1>>;
  runFlow(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
  close(): Promise<Result<void>>;
}

export async function openRuntime(options: RuntimeOptions): Promise<Result<Runtime>> {
  const { root, clock } = options;
  const loaded = await loadConfig(root, nodeFiles, options.env);
  if (!loaded.ok) return loaded;
  const config = loaded.value;
  const registered = await loadRegistry({ files: nodeFiles, root });
  if (!registered.ok) return registered;
  const schemas = registered.value;
  const key = await workspaceKey(root, config);
  if (!key.ok) return key;
  const ids = createIds(clock, options.random);
  const secretsOut = createRedactor({ patterns: config.redaction.patterns });
  if (!secretsOut.ok) return secretsOut;
  const redact = <T>(value: T): T => secretsOut.value.redactJson(value);
  const redactor = { redactJson: <T>(value: T) => ({ value: redact(value) }) };

  const modules = workerModules(clock);
  const handlers = await loadHooks({
    config: config.hooks,
    root,
    files: nodeFiles,
    processes: nodeProcesses(clock),
    modules,
    schemas,
    environment: options.env,
    shipped: {
      folder: join(packageRoot, "hooks"),
      importModule: (path) => import(pathToFileURL(path).href),
      redact: (text) => redact(text),
    },
  });
  if (!handlers.ok) return handlers;
  const hooks = createHooks({ handlers: handlers.value, schemas, clock, key: key.value });
  const tools = createToolRegistry(schemas);
  const builtins = registerBuiltins(tools, {
    schemas,
    random: options.random,
    ...(config.tools.allow.includes("exec") ? { processes: nodeProcesses(clock) } : {}),
  });
  if (!builtins.ok) return builtins;
  const skills = createSkills({
    files: nodeFiles,
    schemas,
    clock,
    roots: skillRoots(root, join(packageRoot, "skills")),
  });

  const store = openSharedStore(storeFile(root, config), clock);
  if (!store.ok) return store;
  const log = new JsonlLog({
    root,
    schemas,
    redactor,
    clock,
    ids,
    limits: { maxPayloadBytes: config.limits.payload_bytes, lockWaitMs: config.limits.lock_wait_seconds * 1000 },
  });
  const intake = createIntake(log);
  const budgeter = createBudgeter({ ids, prices: config.prices });
  const routers = new Map<string, Router>();
  const routerFor = async (name: string | undefined): Promise<Result<Router>> => {
    const profile = selectProfile(config, name);
    if (!profile.ok) return profile;
    const made = routers.get(profile.value.name);
    if (made) return ok(made);
    const discovered = await skills.discover();
    if (!discovered.ok) return discovered;
    const skillFolders = [...new Set(discovered.value.skills.map((skill) => folderOfSkill(root, skill)))];
    const provider = await providerOf(profile.value, { root, files: nodeFiles, schemas, clock, skillFolders });
    if (!provider.ok) return provider;
    const router = createRouter({
      profile: runtimeProfile(profile.value, config),
      provider: provider.value,
      budgeter,
      prices: config.prices,
      schemas,
      clock,
      ids,
      circuit: {
        failure_threshold: config.circuit_breaker.failure_threshold,
        recovery_ms: config.circuit_breaker.recovery_seconds * 1000,
      },
      redact,
      authorize: () => ok(undefined),
    });
    routers.set(profile.value.name, router);
    return ok(router);
  };
  const runner = createFlowRunner({
    log,
    schemas,
    hooks,
    budgeter,
    skills,
    clock,
    ids,
    intake,
    redact,
    attention: createAttention({
      projectContext: async () => {
        const context = await readProjectContext(nodeFiles, root);
        if (!context.ok || context.value.state !== "present") return undefined;
        return { origin: context.value.path, trust: "untrusted", text: context.value.text, hash: context.value.hash };
      },
    }),
    config: {
      default_budget: config.budget,
      max_concurrent_flows: config.max_concurrent_flows,
      execution_timeout_seconds: config.limits.flow_timeout_seconds,
      agents: {
        max_tool_calls: config.limits.tool_calls_per_step,
        max_reworks: config.limits.rework_rounds,
        context_tokens: config.limits.context_tokens,
        max_steps: config.limits.plan_steps,
      },
      v2_features: config.v2_features,
    },
    keyedHash: (text) => keyedSha256(key.value, text),
    resolveFramework: (framework_id) =>
      loadFramework({ roots: [root, packageRoot], files: nodeFiles, schemas }, framework_id),
    authorize: () => ok({ by: "local user" }),
    routerFor,
    toolOffers: (isAllowed) =>
      tools
        .list()
        .filter((tool) => isAllowed(tool.name))
        .map((tool) => ({ name: tool.name, description: tool.description, input_schema: tool.schema_in })),
    dispatch: flowDispatch({
      registry: tools,
      hooks,
      clock,
      ids,
      root,
      redactor,
      limits: { timeoutMs: config.limits.tool_timeout_seconds * 1000, maxOutputBytes: config.limits.tool_output_bytes },
    }),
    rolePrompt: rolePromptReader(nodeFiles, [root, packageRoot]),
    pinned: pinnedLaw({ root, shipped: packageRoot, files: nodeFiles, config, hooks, tools, skills }),
    runCheck: async () =>
      err(
        domainError(
          "SANDBOX_UNAVAILABLE",
          "acceptance commands run as sandboxed turns, which this version does not have yet",
        ),
      ),
  });
  return ok({
    root,
    config,
    schemas,
    log,
    hooks,
    skills,
    tools,
    caller: config.identity.local_caller ?? `${userInfo().username}@local`,
    writeWorkOrder: (prompt, wishes = {}) => writeWorkOrder({ store: store.value, skills, clock }, prompt, wishes),
    runFlow: (request, flowOptions) => runner.run(request, flowOptions),
    async close() {
      const refused = await intake.close();
      const shut = await log.shutdown();
      await modules.close();
      store.value.close();
      return refused.ok ? shut : refused;
    },
  });
}

/** What keyed hashes are keyed with: derived from the signing key, so that nobody without it can guess a prompt back. */
async function workspaceKey(root: string, config: WritConfig): Promise<Result<string>> {
  const file = join(root, config.signing.private_key);
  try {
    return ok(sha256(`writ keyed hashes\n${await readFile(file, "utf8")}`));
  } catch (thrown) {
    return err(
      domainError(
        "CONFIG_INVALID",
        `the workspace's signing key ${config.signing.private_key} cannot be read: ${messageOf(thrown)}`,
        { details: { hint: "writ init makes one" }, cause: thrown },
      ),
    );
  }
}

function storeFile(root: string, config: WritConfig): string {
  const file = config.store.replace(/^sqlite:/, "");
  return isAbsolute(file) ? file : join(root, file);
}

function folderOfSkill(
  root: string,
  skill: { readonly id: string; readonly origin: string; readonly path: string },
): string {
  const base =
    skill.origin === "shipped"
      ? join(packageRoot, "skills")
      : skill.origin === "agents"
        ? join(root, ".agents/skills")
        : join(root, "skills");
  return join(base, skill.id);
}
