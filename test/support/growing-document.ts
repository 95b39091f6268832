import type { PatchOperationV1 } from "#core/contracts";

interface ListedSection {
  readonly heading: string;
  body: string;
}

export interface ProposedOperation {
  readonly operation: PatchOperationV1;
  /** It names a section that is gone. */
  readonly isRefused: boolean;
}

/** What patches mean for sections of one level, said as a list: each section is a heading and a body. */
export class GrowingDocument {
  readonly #sections: ListedSection[] = [];
  readonly #gone: ListedSection[] = [];
  readonly #numbers: readonly number[];
  #drawn = 0;
  #changes = 0;

  /** The numbers decide what is changed. */
  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  get size(): number {
    return this.#sections.length;
  }

  text(): string {
    return this.#sections.map(({ heading, body }) => `## ${heading}\n\n${body}\n`).join("\n");
  }

  /** Somebody changes something: here at once, there by an operation. */
  change(): ProposedOperation {
    this.#changes += 1;
    const kind = this.#dice(16);
    if (kind < 6 || this.#sections.length === 0) return this.#insert();
    if (kind === 6 && this.#gone.length > 0)
      return { operation: this.#operation(this.#draw(this.#gone), this.#dice(4)), isRefused: true };
    const section = this.#draw(this.#sections);
    const which = kind < 9 ? 3 : this.#dice(3);
    const operation = this.#operation(section, which);
    this.#carryOut(section, operation);
    return { operation, isRefused: false };
  }

  #insert(): ProposedOperation {
    const heading = `Section ${this.#changes}`;
    const body = this.#body();
    this.#sections.push({ heading, body });
    return { operation: { op: "section.insert", heading, body }, isRefused: false };
  }

  #operation({ heading }: ListedSection, which: number): PatchOperationV1 {
    const section = [heading];
    switch (which) {
      case 0:
        return { op: "section.replace", section, body: this.#body() };
      case 1:
        return { op: "text.edit", section, find: "- a point", replace: `- a point, ${this.#changes}`, after: " of" };
      case 2:
        return { op: "section.move", section, after: null };
      default:
        return { op: "section.delete", section };
    }
  }

  #carryOut(section: ListedSection, operation: PatchOperationV1): void {
    if (operation.op === "section.replace") section.body = operation.body;
    if (operation.op === "text.edit") section.body = section.body.replace(operation.find, operation.replace);
    if (operation.op !== "section.move" && operation.op !== "section.delete") return;
    this.#sections.splice(this.#sections.indexOf(section), 1);
    if (operation.op === "section.move") this.#sections.unshift(section);
    else this.#gone.push(section);
  }

  #body(): string {
    return `Words of ${this.#changes}.\n\n- a point of ${this.#changes}`;
  }

  #draw(sections: readonly ListedSection[]): ListedSection {
    return sections[this.#dice(sections.length)] as ListedSection;
  }

  #dice(sides: number): number {
    return (this.#numbers[this.#drawn++ % this.#numbers.length] as number) % sides;
  }
}
