import type { PromptContractV1 } from "#core/contracts";
import type { Parameters } from "#core/expressions";
import type { Files, Result } from "#core/values";
import type { Mandate } from "#governance/mandate";
import type { Recorder, Tier } from "#log";
import type { Fragment } from "./fragment.ts";

/** OPEN explores, CLOSING narrows, CLOSED reads only what the answer needs. */
export type Aperture = "open" | "closing" | "closed";

export interface AttentionRequest {
  readonly agent_id: string;
  readonly agent_class: string;
  /** Names the templates there are to choose from. */
  readonly framework_id: string;
  readonly tier: Tier;
  readonly work_order_id: string;
  readonly session_id: string;
  readonly parent_session_id?: string;
  readonly prompt: string;
  /** The fields of the order's input: `{{name}}` in paths and queries stands for them. */
  readonly parameters?: Parameters;
  /** What the order may do: a file that it may not read is left out of the context. */
  readonly mandate: Mandate;
  /** The workspace as the order sees it, where it has written something; absent: as it lies there. */
  readonly files?: Files | undefined;
  /** Its required_context is read besides what the template says. */
  readonly contract?: Pick<PromptContractV1, "contract_id" | "required_context">;
  /** Absent: closed. */
  readonly aperture?: Aperture;
  /** Chosen by the work order; it must be one of the framework's. */
  readonly template_id?: string;
  /** Rules of the workspace that stand in the instructions, hash by path: as fragments they would be sent twice. */
  readonly rules?: ReadonlyMap<string, string>;
  /** What hooks said for the order's agents: data, whatever it says. */
  readonly hookNotes?: readonly { readonly handler: string; readonly text: string }[];
  /** What is left for context, where that is less than the template's limit. */
  readonly max_tokens?: number;
}

export interface AssembledContext {
  readonly text: string;
  readonly fragments: readonly Fragment[];
  readonly context_hash: string;
  readonly tokens: number;
  readonly template_id: string | null;
  readonly outcome: "complete" | "partial" | "halted" | "cached" | "empty";
  readonly warnings: readonly string[];
}

export interface AssembleOptions {
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  /** For a preview: what is read is not kept as the fallback of later requests. */
  readonly isPreview?: boolean;
}

/** Read-only: what an agent may read before it speaks. */
export interface AttentionService {
  assemble(request: AttentionRequest, options: AssembleOptions): Promise<Result<AssembledContext>>;
}
