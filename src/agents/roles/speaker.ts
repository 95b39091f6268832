import type { Result } from "#core/values";
import type { Conversation } from "../conversation/conversation.ts";
import type { UndoneCall } from "../conversation/undone-calls.ts";
import type { PromptResponse } from "../models/prompt.ts";
import type { AttachedFiles } from "./agent-context.ts";

/** An agent in a conversation: who it is, and what it may use there. */
export interface Speaker {
  readonly role: string;
  readonly agent_id: string;
  readonly conversation: Conversation;
  readonly contract_id: string | null;
  /** Whether this speaker is offered the tools of the context. */
  readonly usesTools: boolean;
  /** The step of the plan that is being worked on; tool results carry it. */
  readonly stepId?: string;
  /** How many calls it may make in all; without it as many as one step of a plan. */
  readonly maxCalls?: number;
  /** Whether a result that is too large is cut, with the rest named as an artifact. */
  readonly cutsResults?: boolean;
  /** The contract of its last word, where that is a document; text otherwise. */
  readonly answers?: string | object;
  /** Messages that arrived since its last request; it is asked before each. */
  readonly arriving?: () => Promise<Result<readonly Arrived[]>>;
}

/** A message of a person to an agent at work. */
export interface Arrived {
  readonly content: string;
  readonly attached?: AttachedFiles;
}

/** What came of a conversation. */
export interface Said {
  readonly text: string;
  /** `name:call id` of every call that ran or was refused. */
  readonly toolCallsMade: readonly string[];
  /** The last refusal or failure of a tool, if any: it explains a step that could not be done. */
  readonly toolFailure: { readonly code: string; readonly message: string } | undefined;
  /** The request that the last word answers. */
  readonly request_id: string;
  /** Files that were read, with the lines and the hash of the whole. */
  readonly reads: readonly { readonly path: string; readonly sha256: string; readonly lines: string }[];
  /** Calls that were refused or failed and that no later call made good. */
  readonly undone: readonly UndoneCall[];
  /** Where the last word falls short of its contract. */
  readonly problem: PromptResponse["problem"];
  /** The last word as its contract reads it; undefined where the contract asks for no form. */
  readonly read: PromptResponse["read"];
}
