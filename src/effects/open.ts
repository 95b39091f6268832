import { nodeFiles } from "#core/machine";
import { type DisposalStack, ok, type Result } from "#core/values";
import { readPolicy, type SecretParts } from "#governance";
import type { EventLog } from "#log";
import type { Foresee } from "#people";
import type { WorkspaceParts } from "#workspace";
import { foreseeCalls } from "./foresee/foresee-call.ts";
import type { ToolPinStore } from "./mcp/store/tool-pin-store.ts";
import { createApprovals, type ToolApprovals } from "./mcp/tool-approvals.ts";
import { type WorkspaceMcp, workspaceMcp } from "./mcp/workspace-mcp.ts";
import type { ProgramParts } from "./programs/open-programs.ts";
import { type LatePorts, latePorts } from "./tools/agent-ports.ts";
import type { KeepSkill } from "./tools/builtin/skill-load.ts";
import type { DefinedTool } from "./tools/define-tool.ts";
import type { ToolRegistry } from "./tools/registry.ts";
import { workspaceTools } from "./tools/workspace-tools.ts";
import { createLanding, type Landing } from "./turns/layer/landing.ts";
import { type PendingWrites, pendingWrites } from "./turns/layer/pending-writes.ts";
import { hasUnfinishedTurns, type LazyTurnService, lazyTurnService } from "./turns/lazy-turn-service.ts";
import { execAsTurn, writeAsTurn } from "./turns/program-turns.ts";
import { serverCallAsTurn } from "./turns/server-turns.ts";
import type { TurnServiceOptions } from "./turns/turn-service.ts";

export interface EffectsParts {
  readonly turns: LazyTurnService;
  readonly landing: Landing;
  /** What an order has written and not landed, redacted like everything that is served. */
  pendingWrites(session_id: string): Promise<PendingWrites | undefined>;
  /** Takes what tools need of the places above, once those are open. */
  readonly agentPorts: Pick<LatePorts, "bind">;
  readonly tools: ToolRegistry;
  readonly keepSkill: KeepSkill;
  readonly mcp: WorkspaceMcp;
  /** What MCP servers offer, and what was approved of it. */
  readonly toolApprovals: ToolApprovals;
  /** What a call that waits for a person would do, looked at now. */
  readonly foresee: Foresee;
}

export interface EffectsNeeds
  extends WorkspaceParts,
    ProgramParts,
    SecretParts,
    Pick<TurnServiceOptions, "newWorkOrderId"> {
  readonly log: EventLog;
  readonly store: ToolPinStore;
  /** Tools of the program that opened the workspace. */
  readonly brought?: { readonly tools?: readonly DefinedTool[] };
}

export async function openEffects(needs: EffectsNeeds, stack: DisposalStack): Promise<Result<EffectsParts>> {
  const { root, config, env, clock, schemas, log, store, caller } = needs;
  const { layers, skillSnapshots } = needs;
  const keepSkill: KeepSkill = (session_id, source) => skillSnapshots.keep(session_id, source);
  const turns = lazyTurnService(needs);
  stack.defer(() => turns.close());
  if (hasUnfinishedTurns(root)) {
    const recovered = await turns.open();
    if (!recovered.ok) return recovered;
  }
  const agentPorts = latePorts();
  const whyUnreadable = readPolicy(config, root);
  const viewOf = (session_id: string) => layers.viewOf(session_id);
  const tools = workspaceTools({
    schemas,
    clock,
    env,
    allow: config.tools.allow,
    whyUnreadable,
    runTurn: execAsTurn(turns.open),
    writeTurn: writeAsTurn(turns.open),
    viewOf,
    ports: agentPorts.ports,
    keepSkill,
  });
  if (!tools.ok) return tools;
  for (const each of needs.brought?.tools ?? []) {
    const spec = each.toSpec();
    const registered = spec.ok ? tools.value.register(spec.value) : spec;
    if (!registered.ok) return registered;
  }
  const mcp = await workspaceMcp({
    ...needs,
    files: nodeFiles,
    registry: tools.value,
    viewOf,
    callAsTurn: serverCallAsTurn(turns.open),
  });
  if (!mcp.ok) return mcp;
  stack.defer(() => mcp.value.close());
  return ok({
    turns,
    landing: createLanding(layers, turns, root),
    pendingWrites: async (session_id) => needs.redact(pendingWrites(root, session_id)),
    foresee: foreseeCalls({ root, log, whyUnreadable, viewOf, redact: needs.redact, lawFile: "writ.yaml" }),
    agentPorts,
    tools: tools.value,
    keepSkill,
    mcp: mcp.value,
    toolApprovals: createApprovals({ mcp: mcp.value, tools: tools.value, schemas, log, store, clock, by: caller }),
  });
}
