import type { SchemaTypes } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, type Result, type SessionId } from "#core/values";

/** What tools need of the places above: thinking and acting never import each other, so `work` hands it in. */
export interface AgentPorts {
  /** A skill by its name, as the workspace has it. */
  loadSkill(name: string): Promise<Result<LoadedSkill>>;
  /** The whole result of a call of this session, as its record shows it: one line for each line of its texts. */
  readArtifact(session_id: SessionId, call_id: string): Promise<Result<string>>;
  /** Carries tasks out as orders below the one of this session; an error where one of them failed. */
  handDown(
    session_id: SessionId,
    tasks: SchemaTypes["delegate.args_v1"]["tasks"],
    signal: AbortSignal,
  ): Promise<Result<SchemaTypes["delegate.result_v1"]>>;
}

export interface LoadedSkill {
  readonly skill: string;
  readonly source: string;
  readonly origin: string;
  readonly hash: string;
  readonly body: string;
  readonly files: readonly string[];
}

/** Ports that are handed in after the tools were registered. Until then every call is refused. */
export interface LatePorts {
  readonly ports: AgentPorts;
  bind(ports: AgentPorts): void;
}

export function latePorts(): LatePorts {
  let bound: AgentPorts | undefined;
  const missing = (): Result<never> =>
    err(domainError("TOOL_ERROR", "this tool works within an order, and there is none here"));
  return {
    ports: {
      loadSkill: async (name) => bound?.loadSkill(name) ?? missing(),
      readArtifact: async (session_id, call_id) => bound?.readArtifact(session_id, call_id) ?? missing(),
      handDown: async (session_id, tasks, signal) => bound?.handDown(session_id, tasks, signal) ?? missing(),
    },
    bind(ports) {
      bound = ports;
    },
  };
}
