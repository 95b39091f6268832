import type { PatchOperationV1 } from "#core/contracts";
import { applyOperations } from "./apply-operations.ts";
import type { PatchToApply } from "./apply-patches.ts";
import { contentHash, seekSection } from "./find-section.ts";
import { type Section, SectionTree } from "./section-tree.ts";

export interface Rejection {
  readonly patch_id: string;
  readonly reason: string;
}

/** A document that an app edits: first the patches of others are applied, then the app's own operations, which are a patch too. */
export class Manuscript {
  readonly #tree: SectionTree;
  readonly #own: PatchOperationV1[] = [];
  readonly applied: string[] = [];
  readonly rejections: Rejection[] = [];

  constructor(text: string) {
    this.#tree = new SectionTree(text);
  }

  get text(): string {
    return this.#tree.text();
  }

  /** The app's own operations. */
  get own(): readonly PatchOperationV1[] {
    return this.#own;
  }

  /** Applies patches in this order; a conflicting one is rejected with its reason. */
  integrate(patches: readonly PatchToApply[]): void {
    for (const { patch_id, ops } of patches) {
      const refusal = applyOperations(this.#tree, ops);
      if (refusal) this.rejections.push({ patch_id, reason: refusal.reason });
      else this.applied.push(patch_id);
    }
  }

  /** Applies the app's own operations. False when they conflict: people's changes take precedence. */
  write(...operations: readonly PatchOperationV1[]): boolean {
    const isWritten = applyOperations(this.#tree, operations) === null;
    if (isWritten) this.#own.push(...operations);
    return isWritten;
  }

  /** Replaces the body of a section, or inserts the section if there is none. */
  writeSection(heading: string, body: string, place: { readonly after?: null } = {}): boolean {
    const isThere = this.section([heading]) !== null;
    return isThere
      ? this.write({ op: "section.replace", section: [heading], body })
      : this.write({ op: "section.insert", heading, body, ...place });
  }

  section(path: readonly string[]): { readonly hash: string; readonly body: string } | null {
    const found = seekSection(this.#tree, { section: path });
    if (!("section" in found)) return null;
    return { hash: contentHash(this.#tree, found.section), body: this.#bodyOf(found.section) };
  }

  /** The headings right under the title, or at the top of a document without one. */
  headings(): readonly string[] {
    const top = this.#tree.root.first?.level === 1 ? this.#tree.root.first : this.#tree.root;
    const headings: string[] = [];
    for (let section = top.first; section; section = section.next) headings.push(section.heading);
    return headings;
  }

  /** The title: the heading that everything stands under; undefined where there is none. */
  get title(): string | undefined {
    const { first } = this.#tree.root;
    return first?.level === 1 ? first.heading : undefined;
  }

  #bodyOf(section: Section): string {
    return this.#tree.textOf(section).slice(section.headingEnd).trim();
  }
}
