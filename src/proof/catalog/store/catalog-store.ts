import type { Answer } from "#core/values";
import type { SessionInfo } from "#log";
import type { CataloguedSession, SessionKind, Shown } from "../catalogued-session.ts";

/** What a list asks for; null asks for all. */
export interface CatalogQuery {
  readonly limit: number;
  readonly after: string | null;
  readonly sort: "began" | "cost" | "tokens" | "took" | "events";
  readonly state: string | null;
  readonly kind: SessionKind | null;
  readonly caller: string | null;
  readonly skill: string | null;
  readonly tool: string | null;
  readonly cycle: string | null;
  /** Parts of a path, a rule, a person. */
  readonly wrote: string | null;
  readonly saw: string | null;
  readonly allowed_by: string | null;
  /** Dollars. */
  readonly cost_above: number | null;
  readonly refused: boolean | null;
  readonly since: string | null;
  readonly until: string | null;
  /** All of them occur, in lower case. */
  readonly words: readonly string[];
}

export interface CatalogRow {
  readonly info: SessionInfo;
  readonly shown: Shown | null;
}

/** A projection of the log for lists: one row for each session, made anew from its events whenever it is lost. */
export interface CatalogStore {
  putCatalogued(sessions: readonly CataloguedSession[]): Answer<void>;
  /** The head under which each session was folded; an empty text where only its ends are known. */
  cataloguedHeads(): Answer<ReadonlyMap<string, string>>;
  catalogued(query: CatalogQuery): Answer<{ readonly rows: readonly CatalogRow[]; readonly total: number }>;
  /** What a list shows of these. */
  cataloguedOf(ids: readonly string[]): Answer<readonly CatalogRow[]>;
  /** Sessions in which a policy watched, the oldest first. */
  cataloguedShadows(since: string | null): Answer<readonly { readonly session_id: string; readonly shadows: string }[]>;
  dropCatalogued(ids: readonly string[]): Answer<void>;
}
