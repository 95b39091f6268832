import { nodeFiles } from "#core/machine";
import { type Opened, openOnStack } from "#core/shapes";
import { type Clock, type DisposalStack, ok, type Random, type Result } from "#core/values";
import { openPrograms, withPrograms, workspaceTools } from "#effects";
import { openContractStore, openRecords, workspaceSecrets } from "#governance";
import type { LogReader } from "#log";
import { type Environment, loadConfig, workspaceKey } from "#workspace";
import { workspaceWorkflows } from "../definitions/workspace-workflows.ts";
import { annotationsOf, natureIn } from "./annotations-of.ts";
import { type BacktestService, backtestService } from "./backtest-service.ts";

interface BacktestParts {
  readonly root: string;
  readonly reader: LogReader;
  readonly backtests: BacktestService;
}

interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Environment;
}

/** Opens the record of a workspace for backtests. Read-only: takes no lock and connects to no server. */
export function openBacktest(root: string, surroundings: Surroundings): Promise<Result<Opened<BacktestParts>>> {
  return openOnStack((stack) => openParts(root, surroundings, stack));
}

async function openParts(
  root: string,
  surroundings: Surroundings,
  stack: DisposalStack,
): Promise<Result<BacktestParts>> {
  const { clock, random, env } = surroundings;
  const config = await loadConfig(root, nodeFiles, env);
  if (!config.ok) return config;
  const records = await openRecords(root, surroundings, withPrograms);
  if (!records.ok) return records;
  stack.defer(() => records.value.close());
  const { reader, schemas } = records.value;
  const tools = workspaceTools({ schemas, clock, env, allow: config.value.tools.allow });
  if (!tools.ok) return tools;
  const { programs } = openPrograms({ root, config: config.value, clock, random, env }, stack);
  const secrets = await workspaceSecrets(config.value, { root, env, clock, programs });
  if (!secrets.ok) return secrets;
  const key = await workspaceKey(root, config.value);
  const backtests = backtestService({
    root,
    env,
    reader,
    schemas,
    config: config.value,
    programs,
    clock,
    contractStore: openContractStore(root, random, records.value.texts),
    // Without the key the report lists every hook firing whose input cannot be verified.
    key: key.ok ? key.value : undefined,
    workflows: workspaceWorkflows(root, schemas),
    annotationsOf: (name) => annotationsOf(tools.value, name),
    natureOf: (name, args) => natureIn(tools.value, name, args),
    redact: (text) => secrets.value.redactor.redactJson(text).value,
  });
  return ok({ root, reader, backtests });
}
