import type { DomainError } from "#core/errors";
import type { Result } from "#core/values";
import type { AnyCompletionResponse, CompletionRequest, CompletionResponse } from "./completion.ts";
import type { LearnedRefusal } from "./facts/known-refusals.ts";

/** One model behind one shape. Vendor objects stay inside the adapter. */
export interface Provider {
  readonly id: string;
  complete(call: ProviderCall): Promise<Result<AnyCompletionResponse>>;
}

export interface ProviderCall {
  readonly request: CompletionRequest;
  readonly meta: CallMeta;
  readonly signal: AbortSignal;
  /** Text as it arrives, for people who watch. */
  readonly onText?: (delta: string) => void;
  /** What the model thinks, as it arrives, where its vendor shows it. */
  readonly onReasoning?: (delta: string) => void;
  /** What an earlier answer of this conversation has to go back with, by the handle in its message. */
  readonly opaque?: (handle: string) => CompletionResponse["opaque"];
  /** The bytes of an attachment. */
  readonly attachment?: (sha256: string) => Uint8Array | undefined;
  /** Called with what a server refused, when the request goes out again without it. */
  readonly onLearned?: (refusal: LearnedRefusal) => void;
  /** Pays for attempts beyond the first, and records those that failed; absent where there is only one. */
  readonly attempts?: Attempts;
}

export interface Attempts {
  /** Settles a failed attempt by what is known of it, and records it. */
  failed(attempt: FailedAttempt): Promise<Result<void>>;
  /** Sets money aside for the attempt of this number; returns how much output it may produce. */
  again(attempt: number): Promise<Result<number>>;
}

/** What the request is about; vendors never see it, the scripted provider answers by it. */
export interface CallMeta {
  readonly role: string;
  readonly skill: string | null;
  /** The persona of a cycle that speaks in this role. */
  readonly persona?: string;
  /** Counts from 1 per role (of a cycle: per persona) and session. */
  readonly call: number;
  readonly session_id: string;
  /** The person's prompt, as transformed. */
  readonly prompt: string;
  /** The prompt contract that covers the call, where one does. */
  readonly contract_id: string | null;
}

export interface FailedAttempt {
  readonly attempt: number;
  readonly error: DomainError;
  readonly retryInMs: number;
}
