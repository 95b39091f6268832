/**
 * Limits of an expression. People write lines of a dozen words; these are several times that. Measured: the parser
 * takes 0.4 ms per operator of a long chain, so tokens are counted before it sees the text.
 */
export interface ExpressionLimits {
  readonly characters: number;
  readonly tokens: number;
  /** Brackets within brackets. */
  readonly depth: number;
  readonly literal: number;
  readonly listItems: number;
  /** `all`, `exists`, `filter`, … within each other. */
  readonly comprehensions: number;
  readonly pattern: number;
  /** Rounds of comprehensions in one evaluation, and characters that patterns look at. About 2 µs each. */
  readonly rounds: number;
  readonly matched: number;
}

export const expressionLimits: ExpressionLimits = {
  characters: 1000,
  tokens: 160,
  depth: 12,
  literal: 256,
  listItems: 32,
  comprehensions: 2,
  pattern: 120,
  rounds: 10_000,
  matched: 8_000,
};
