import type { AttentionStageV1 } from "#core/contracts";
import type { DomainError } from "#core/errors";
import type { Files, JsonObject, Result } from "#core/values";
import type { ReadPolicy } from "#governance";
import type { FilesRead } from "#governance/mandate";
import type { LogReader, Tier } from "#log";
import type { AttentionRequest } from "../attention-service.ts";
import type { Found, Fragment } from "../fragment.ts";
import type { LedgerSearch } from "../ledger/ledger-search.ts";
import type { Meter } from "./meter.ts";

/** Where stages read. Nothing here can write. */
export interface AttentionSources {
  /** The workspace, absolute. */
  readonly root: string;
  /** Where registries are looked for: the workspace first, then what Writ ships. */
  readonly registryRoots: readonly string[];
  readonly files: Files;
  /** What is never read as context: where secrets and ledgers are. */
  readonly whyUnreadable: ReadPolicy;
  /** A file's text without its secrets, line for line: a passage of it may hold a line of a key and nothing that says so. */
  readonly redactLines: (text: string) => string;
  readonly log: Pick<LogReader, "read" | "readLedger">;
  /** Closed sessions of the whole workspace. */
  readonly ledgers: LedgerSearch;
  readonly custom: ReadonlyMap<string, CustomStage>;
  /** What `<context_files>` stands for. */
  readonly contextFiles: readonly string[];
  readonly reading: ReadingLimits;
}

/** How much is read at all, whatever a template asks for. */
export interface ReadingLimits {
  /** One file, unless a stage says otherwise. */
  readonly fileBytes: number;
  readonly registryBytes: number;
  /** Entries of the tree that a glob looks at. */
  readonly seenFiles: number;
  /** Files that one search reads. */
  readonly searchedFiles: number;
  /** Ledger entries that one search ranks: the newest that hold any of the words. */
  readonly ledgerCandidates: number;
}

export interface StageContext {
  readonly request: AttentionRequest;
  /** Where the agent's framework lies, relative to a root. */
  readonly folder: string;
  readonly sources: AttentionSources;
  readonly meter: Meter;
  /** Every file whose content a stage reads is added here. */
  readonly files: FilesRead;
  /** Chosen by the last tier_select; the agent's own tier before any. */
  readonly tiers: readonly Tier[];
  /** What earlier stages brought, in order. */
  readonly fragments: readonly Fragment[];
  /** Of what is there, rendered. */
  readonly tokens: number;
}

/** What a stage says it did. */
export interface StageReport {
  readonly asked?: JsonObject;
  readonly found: number;
  readonly dropped?: Readonly<Record<string, number>>;
  readonly note?: string;
  readonly warnings?: readonly string[];
}

/** What a stage makes of the pipeline: it adds, it arranges, it ends, or it sets where the next ones look. */
export type StageOutcome = StageReport &
  (
    | { readonly does: "add"; readonly fragments: readonly Found[]; readonly limit?: DomainError | undefined }
    | { readonly does: "arrange"; readonly fragments: readonly Fragment[] }
    | { readonly does: "look"; readonly tiers: readonly Tier[] }
    | { readonly does: "halt" }
    | { readonly does: "go on" }
  );

export type StageOf<T extends AttentionStageV1["type"]> = Extract<AttentionStageV1, { type: T }>;

export type RunStage<T extends AttentionStageV1["type"]> = (
  stage: StageOf<T>,
  context: StageContext,
) => Promise<Result<StageOutcome>> | Result<StageOutcome>;

/** A stage that the host registers by name. What it brings is untrusted unless it says otherwise. */
export type CustomStage = (
  config: JsonObject,
  context: StageContext,
) => Promise<Result<{ readonly fragments: readonly CustomFound[]; readonly warnings?: readonly string[] }>>;

export type CustomFound = Omit<Found, "trust"> & Partial<Pick<Found, "trust">>;
