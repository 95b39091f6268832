import { type Tier, tiers } from "../../tier.ts";
import { isSqliteError, SessionIndex } from "./session-index.ts";
import { folderStamp } from "./stamps.ts";

/**
 * Tells the index of sessions which folders this process made, so that the next listing need not look for them. That is all
 * a writer does for it, at the end of a journal: the files are read by the next listing. Where anything else changed
 * the folders meanwhile, the index is marked as incomplete, and the next listing compares names.
 */
export class IndexKeeper {
  readonly #root: string;
  readonly #made = new Map<Tier, Set<string>>();
  /** Stamps of the folders before this process made its first session there, and after its newest. */
  readonly #stamps = new Map<Tier, { readonly before: string; after: string }>();
  readonly #disturbed = new Set<Tier>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Runs what makes folders of these sessions. */
  async around<T>(
    sessions: readonly { readonly tier: Tier; readonly session_id: string }[],
    work: () => Promise<T>,
  ): Promise<T> {
    const made = tiers.filter((tier) => sessions.some((session) => session.tier === tier));
    for (const tier of made) {
      const now = folderStamp(this.#root, tier);
      const known = this.#stamps.get(tier);
      if (known && known.after !== now) this.#disturbed.add(tier);
      this.#stamps.set(tier, { before: known?.before ?? now, after: now });
    }
    try {
      return await work();
    } finally {
      for (const tier of made) {
        const stamps = this.#stamps.get(tier);
        if (stamps) stamps.after = folderStamp(this.#root, tier);
      }
      for (const { tier, session_id } of sessions) {
        const names = this.#made.get(tier) ?? new Set();
        this.#made.set(tier, names.add(session_id));
      }
    }
  }

  /** A listing is right without this, only slower; so nothing here fails the writer. */
  save(): void {
    if (this.#made.size === 0) return;
    const index = SessionIndex.open(this.#root, { create: false });
    try {
      index?.change(() => {
        for (const [tier, { before, after }] of this.#stamps) {
          const isComplete = index.stampOf(tier) === before && !this.#disturbed.has(tier);
          index.name(this.#made.get(tier) ?? [], tier);
          index.setStamp(tier, isComplete ? after : "");
        }
      });
    } catch (thrown) {
      if (!isSqliteError(thrown)) throw thrown;
    } finally {
      index?.close();
      this.#made.clear();
      this.#stamps.clear();
      this.#disturbed.clear();
    }
  }
}
