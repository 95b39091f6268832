/** Calls that each tool permission of an order was charged with. A resumed order charges its recorded calls again. */
export class CallCharges {
  readonly #counts = new Map<string, number>();

  readonly of = (permission: string): number => this.#counts.get(permission) ?? 0;

  take(permission: string): void {
    this.#counts.set(permission, this.of(permission) + 1);
  }

  /** For a call that was charged and then did not start. */
  giveBack(permission: string): void {
    this.#counts.set(permission, this.of(permission) - 1);
  }
}
