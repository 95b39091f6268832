/** Thrown when Writ itself is wrong. Never for bad input: that is a `DomainError`. */
export class InvariantViolation extends Error {
  override readonly name = "InvariantViolation";
}

export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}

/** Closes a `switch` over a union: the compiler reports a case that is not handled. */
export function unreachable(value: never): never {
  throw new InvariantViolation(`unexpected value ${JSON.stringify(value)}`);
}
