/** The router's estimate: four characters to a token. Rounded up, so that the sum of parts is never below the whole. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
