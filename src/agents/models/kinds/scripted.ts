import type { ProviderKindSpec } from "../provider-kind.ts";

/** Deterministic answers from rules: for a first try, for tests and for development mode. */
export const scripted: ProviderKindSpec<"scripted"> = { id: "scripted", defaultModel: "scripted-1", vendor: null };
