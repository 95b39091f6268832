import type { CompletionRequestV1, CompletionResponseV1 } from "#core/contracts";
import type { Result } from "#core/values";

/** One model behind one shape. Vendor objects stay inside the adapter. */
export interface Provider {
  readonly id: string;
  complete(call: ProviderCall): Promise<Result<CompletionResponseV1>>;
}

export interface ProviderCall {
  readonly request: CompletionRequestV1;
  readonly meta: CallMeta;
  readonly signal: AbortSignal;
  /** Text as it arrives, for people who watch. */
  readonly onText?: (delta: string) => void;
  /** A try that failed and will be made again: the router records it. */
  readonly onAttempt?: (attempt: FailedAttempt) => void;
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
  readonly error: { readonly code: string; readonly message: string };
  readonly retryInMs: number;
}
