/** Dollars per million tokens, by model. */
export type PriceTable = Readonly<
  Record<string, { readonly input_per_million: number; readonly output_per_million: number }>
>;

/** What a call costs by the table; a model without a price costs nothing that we know of. */
export function costOf(
  prices: PriceTable,
  model: string,
  usage: { readonly input_tokens: number; readonly output_tokens: number },
): number {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  return price
    ? (usage.input_tokens * price.input_per_million + usage.output_tokens * price.output_per_million) / 1_000_000
    : 0;
}
