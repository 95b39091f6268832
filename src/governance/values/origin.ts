/** Where a value was found, from what is trusted most to what is trusted least. */
export const origins = [
  "person",
  "order",
  "approved",
  "own",
  "minted",
  "directory.picked",
  "record.picked",
  "fact.picked",
  "directory.listed",
  "record.listed",
  "fact.listed",
  "text.named",
  "text",
  "model",
] as const;

export type Origin = (typeof origins)[number];

/** The origins of one value, each with the place where it was first found: all of them count. */
export class Found {
  readonly #refs = new Map<Origin, string>();

  add(origin: Origin, ref: string): void {
    if (!this.#refs.has(origin)) this.#refs.set(origin, ref);
  }

  get isEmpty(): boolean {
    return this.#refs.size === 0;
  }

  has(...wanted: readonly Origin[]): boolean {
    return wanted.some((origin) => this.#refs.has(origin));
  }

  /** In the order of the lattice. A value that stands nowhere came from the model. */
  get origins(): readonly { readonly from: Origin; readonly ref?: string }[] {
    if (this.isEmpty) return [{ from: "model" }];
    return origins.flatMap((from) => {
      const ref = this.#refs.get(from);
      return ref === undefined ? [] : [{ from, ...(ref === "" ? {} : { ref }) }];
    });
  }
}
