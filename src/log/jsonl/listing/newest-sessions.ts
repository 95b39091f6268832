import type { DomainError } from "#core/errors";
import { isSessionId, ok, type Result, type SessionId } from "#core/values";
import type { NewestOptions, NewestSessions, SessionInfo } from "../../event-log.ts";
import { isWanted, newestFirst } from "../../newest-sessions.ts";
import { tiers } from "../../tier.ts";
import {
  claimedSessions,
  type Ends,
  infoOf,
  type ListedSessions,
  namesIn,
  unclaimedSession,
} from "../list-sessions.ts";
import { sessionsFolder } from "../paths.ts";
import type { Journals } from "../session-paths.ts";
import { type IndexedSession, isDamage, isSqliteError, SessionIndex } from "./session-index.ts";
import { eventsStamp, folderStamp } from "./stamps.ts";

/** With fewer sessions the files themselves are read: that costs less than the index. */
const fewSessions = 100;
const page = 100;
const storedAtOnce = 500;

/**
 * The newest sessions by the index, which is brought up to date first. It is checked lazily: that no folder came or went by the
 * stamps of the tiers' folders, and the rows that are shown, or are open, by those of their files. Undefined where there is no
 * index and none is needed or can be made.
 */
export async function newestSessions(
  journals: Journals,
  own: ListedSessions | undefined,
  options: NewestOptions,
): Promise<Result<NewestSessions> | undefined> {
  const { root } = journals;
  const index =
    SessionIndex.open(root, { create: false }) ??
    (isWorthIt(root) ? SessionIndex.open(root, { create: true }) : undefined);
  if (!index) return undefined;
  try {
    const claimed = await claimedSessions(journals, own);
    if (!claimed.ok) return ok({ sessions: [], total: 0, damaged: [claimed.error] });
    return ok(await new Newest(index, journals, own, claimed.value).find(options));
  } catch (thrown) {
    if (!isSqliteError(thrown)) throw thrown;
    if (isDamage(thrown)) SessionIndex.discard(root);
    return undefined; // busy, full or damaged: the files say the same
  } finally {
    index.close();
  }
}

function isWorthIt(root: string): boolean {
  return tiers.some((tier) => namesIn(sessionsFolder(root, tier)).length > fewSessions);
}

class Newest {
  readonly #index: SessionIndex;
  readonly #journals: Journals;
  readonly #own: ListedSessions | undefined;
  readonly #claimed: ReadonlyMap<string, Ends>;
  /** Damage by session. */
  readonly #damaged = new Map<string, DomainError>();
  readonly #changes: (() => void)[] = [];

  constructor(
    index: SessionIndex,
    journals: Journals,
    own: ListedSessions | undefined,
    claimed: ReadonlyMap<string, Ends>,
  ) {
    this.#index = index;
    this.#journals = journals;
    this.#own = own;
    this.#claimed = claimed;
  }

  async find(options: NewestOptions): Promise<NewestSessions> {
    this.#takeNames();
    for (const session of this.#index.unread()) if (!this.#claimed.has(session.session_id)) await this.#read(session);
    this.#store();
    for (const session of this.#pageOf({ only: "open" }, 0, -1)) await this.#checked(session);
    this.#store();
    const written = [...this.#writtenNow()].filter((info) => isWanted(info, options));
    const sessions = [...written, ...(await this.#unwritten(options))];
    sessions.sort(newestFirst(options));
    const total = this.#index.count(options) - this.#claimedRows(options) + written.length;
    return { sessions: sessions.slice(0, options.limit), total, damaged: [...this.#damaged.values()] };
  }

  /** Sessions whose folders came or went since the index was complete. */
  #takeNames(): void {
    const { root } = this.#journals;
    for (const tier of tiers) {
      const stamp = folderStamp(root, tier);
      if (this.#index.stampOf(tier) === stamp) continue;
      const names = new Set(namesIn(sessionsFolder(root, tier)).filter(isSessionId));
      const isSettled = folderStamp(root, tier) === stamp;
      this.#index.change(() => {
        const known = this.#index.idsOf(tier);
        this.#index.name(
          [...names].filter((name) => !known.has(name)),
          tier,
        );
        this.#index.remove([...known].filter((name) => !names.has(name as SessionId)));
        this.#index.setStamp(tier, isSettled ? stamp : "");
      });
    }
  }

  /** Those that a process is writing, as its journal has them. */
  *#writtenNow(): Generator<SessionInfo> {
    for (const [session_id, ends] of this.#claimed) {
      const info = infoOf(this.#journals.root, session_id as SessionId, ends);
      if (info?.ok) yield info.value;
      else if (info) this.#damaged.set(session_id, info.error);
    }
  }

  /** As many of the others as may be shown. */
  async #unwritten(options: NewestOptions): Promise<readonly SessionInfo[]> {
    const seen = new Map<string, SessionInfo | undefined>();
    const found = () => [...seen.values()].filter((info) => info !== undefined && isWanted(info, options));
    for (let offset = 0; found().length < options.limit; ) {
      const rows = this.#pageOf(options, offset, Math.max(page, options.limit));
      if (rows.length === 0) break;
      let hasMoved = false;
      for (const row of rows.filter(({ session_id }) => !seen.has(session_id))) {
        const info = this.#claimed.has(row.session_id) ? undefined : await this.#checked(row);
        seen.set(row.session_id, info);
        if (info !== row.info && !this.#claimed.has(row.session_id)) hasMoved = true; // damaged, or of another kind now: the rows behind it come before it
      }
      this.#store();
      offset = hasMoved ? 0 : offset + rows.length;
    }
    return found() as SessionInfo[];
  }

  #pageOf(options: Omit<NewestOptions, "limit">, offset: number, limit: number): readonly IndexedSession[] {
    return this.#index.newest(options, { limit, offset });
  }

  #claimedRows(options: NewestOptions): number {
    let rows = 0;
    for (const session_id of this.#claimed.keys()) {
      const info = this.#index.get(session_id);
      if (info && isWanted(info, options)) rows += 1;
    }
    return rows;
  }

  async #checked(session: IndexedSession): Promise<SessionInfo | undefined> {
    const { session_id, tier, stamp, info } = session;
    return info && eventsStamp(this.#journals.root, tier, session_id) === stamp ? info : this.#read(session);
  }

  async #read({ session_id, tier }: IndexedSession): Promise<SessionInfo | undefined> {
    const stamp = eventsStamp(this.#journals.root, tier, session_id);
    const info = await unclaimedSession(this.#journals, this.#own, { session_id, tier });
    if (info?.ok && eventsStamp(this.#journals.root, tier, session_id) === stamp)
      this.#changes.push(() => this.#index.put(info.value, stamp));
    else this.#changes.push(() => this.#index.name([session_id], tier)); // damaged, or being written: looked at again next time
    if (this.#changes.length >= storedAtOnce) this.#store();
    if (info && !info.ok) this.#damaged.set(session_id, info.error);
    return info?.ok ? info.value : undefined;
  }

  #store(): void {
    const changes = this.#changes.splice(0);
    if (changes.length > 0)
      this.#index.change(() => {
        for (const change of changes) change();
      });
  }
}
