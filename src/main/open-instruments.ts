import type { Skills } from "#agents";
import { workspaceSkills } from "#agents";
import { nodeFiles } from "#core/machine";
import { ok, type Result } from "#core/values";
import type { RunTurn, ToolRegistry, WriteTurn } from "#effects";
import { type WorkspaceMcp, workspaceMcp, workspaceTools } from "#effects";
import { createHooks, type Hooks, readPolicy, workspaceHooks } from "#governance";
import type { Foundations } from "./foundations.ts";

/** What an agent of this workspace works with, and what watches it: hooks, tools, skills, MCP servers. */
export interface Instruments {
  readonly hooks: Hooks;
  readonly tools: ToolRegistry;
  readonly skills: Skills;
  readonly mcp: WorkspaceMcp;
  close(): Promise<void>;
}

export async function openInstruments(
  base: Foundations,
  turns: { readonly runTurn: RunTurn; readonly writeTurn: WriteTurn },
): Promise<Result<Instruments>> {
  const { root, config, env, clock, random, schemas, redact, secrets, store, version } = base;
  const policies = await workspaceHooks({ root, config: config.hooks, env, clock, schemas, redact });
  if (!policies.ok) return policies;
  const tools = workspaceTools({
    schemas,
    clock,
    env,
    allow: config.tools.allow,
    whyUnreadable: readPolicy(config, root),
    ...turns,
  });
  if (!tools.ok) return tools;
  const mcp = await workspaceMcp({
    root,
    files: nodeFiles,
    config,
    env,
    secrets,
    clock,
    random,
    version,
    schemas,
    store,
    registry: tools.value,
  });
  if (!mcp.ok) return mcp;
  return ok({
    hooks: createHooks({ handlers: policies.value.handlers, schemas, clock, key: base.key }),
    tools: tools.value,
    skills: workspaceSkills(root, schemas, clock, base.law),
    mcp: mcp.value,
    async close() {
      await mcp.value.close();
      await policies.value.close();
    },
  });
}
