import type { AgentsParts } from "#agents";
import type { EffectsParts } from "#effects";
import type { GovernanceParts, SecretParts } from "#governance";
import type { EventKinds } from "#log";
import type { SealedValues } from "#log/redaction";
import type { GrantUseStore, PeopleParts } from "#people";
import type { LogParts } from "#proof";
import type { WorkflowsParts } from "#workflows";
import type { WorkspaceParts } from "#workspace";
import type { HaltStore } from "../halts/store/halt-store.ts";
import type { OrderStore } from "../orders/store/order-store.ts";
import type { StepStrategy } from "../strategies/step-strategy.ts";
import type { ThreadStore } from "../threads/store/thread-store.ts";

/** What the places below work hand to a flow. */
export interface FlowParts
  extends WorkspaceParts,
    SecretParts,
    LogParts,
    PeopleParts,
    GovernanceParts,
    EffectsParts,
    AgentsParts,
    WorkflowsParts {
  readonly store: OrderStore & HaltStore & GrantUseStore & ThreadStore;
  readonly seals: SealedValues;
  readonly eventKinds: EventKinds;
  /** Strategies of an embedding program, by type of work order; used where `v2_features.multi_step_enabled`. */
  readonly strategies: Readonly<Record<string, StepStrategy>>;
}
