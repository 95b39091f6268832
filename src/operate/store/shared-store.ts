import type { RateStore, ShareStore } from "#agents";
import type { ToolPinStore } from "#effects";
import type { ApiKeyStore, ApprovalStore, GrantUseStore, RequestKeyStore } from "#people";
import type { CatalogStore } from "#proof";
import type { HaltStore, OrderStore, ThreadStore } from "#work";
import type { SealedValueStore } from "#workspace";
import type { PruneStore } from "../prune/prune-store.ts";

/**
 * What several processes of one workspace hold in common: the sum of the places' repositories. Rebuilt from the events if it is
 * lost. SQLite answers at once, PostgreSQL later, so a caller always awaits.
 */
export interface SharedStore
  extends ApprovalStore,
    ApiKeyStore,
    GrantUseStore,
    ShareStore,
    RateStore,
    HaltStore,
    OrderStore,
    ThreadStore,
    ToolPinStore,
    RequestKeyStore,
    SealedValueStore,
    CatalogStore,
    PruneStore {
  close(): void | Promise<void>;
}
