import { nodeFiles } from "#core/machine";
import { type Clock, ok, type Random, type Result } from "#core/values";
import { workspaceTools } from "#effects";
import { openContractStore, openRecords, workspaceSecrets } from "#governance";
import type { LogReader } from "#log";
import { type Environment, loadConfig, workspaceKey } from "#workspace";
import { workspaceWorkflows } from "../definitions/workspace-workflows.ts";
import { annotationsOf } from "./annotations-of.ts";
import { type BacktestService, backtestService } from "./backtest-service.ts";

export interface OpenBacktest {
  readonly root: string;
  readonly reader: LogReader;
  readonly backtests: BacktestService;
  close(): Promise<void>;
}

/** Opens the record of a workspace for backtests. Read-only: takes no lock and connects to no server. */
export async function openBacktest(
  root: string,
  surroundings: { readonly clock: Clock; readonly random: Random; readonly env: Environment },
): Promise<Result<OpenBacktest>> {
  const { clock, random, env } = surroundings;
  const config = await loadConfig(root, nodeFiles, env);
  if (!config.ok) return config;
  const records = await openRecords(root, surroundings);
  if (!records.ok) return records;
  const { reader, schemas } = records.value;
  const tools = workspaceTools({ schemas, clock, env, allow: config.value.tools.allow });
  if (!tools.ok) return tools;
  const secrets = await workspaceSecrets(config.value, { root, env, clock });
  if (!secrets.ok) return secrets;
  const key = await workspaceKey(root, config.value);
  const backtests = backtestService({
    root,
    reader,
    schemas,
    config: config.value,
    env,
    clock,
    law: openContractStore(root, random, records.value.texts),
    // Without the key the report lists every hook firing whose input cannot be verified.
    key: key.ok ? key.value : undefined,
    workflows: workspaceWorkflows(root, schemas),
    annotationsOf: (name) => annotationsOf(tools.value, name),
    redact: (text) => secrets.value.redactor.redactJson(text).value,
  });
  return ok({ root, reader, backtests, close: () => records.value.close() });
}
