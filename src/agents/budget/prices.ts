/** Dollars per million tokens. */
export interface Price {
  readonly input_per_million: number;
  readonly output_per_million: number;
  /** Input that the provider read from its cache; absent: as other input. */
  readonly cached_input_per_million?: number;
  /** Input that the provider wrote to its cache; absent: as other input. */
  readonly cache_write_per_million?: number;
  /** Other prices for a request with more input than this. */
  readonly long_context?: {
    readonly above_tokens: number;
    readonly input_per_million: number;
    readonly output_per_million: number;
    readonly cached_input_per_million?: number;
  };
}

/** By the name of a model, or by a pattern with `*`. */
export type PriceTable = Readonly<Record<string, Price>>;

/** What answers without a bill: the scripted model, a cassette. */
export const free: Price = { input_per_million: 0, output_per_million: 0 };

export function isFree(price: Price | undefined): boolean {
  return price !== undefined && Object.values(price).every((each) => each === 0);
}

/** The price of a model: by its name, else by the longest pattern that fits it; undefined where none is known. */
export function priceOf(prices: PriceTable, model: string): Price | undefined {
  if (Object.hasOwn(prices, model)) return prices[model];
  const fitting = Object.keys(prices).filter((name) => name.includes("*") && fits(name, model));
  const [longest] = fitting.sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return longest === undefined ? undefined : prices[longest];
}

/** Finds each part after the one before it; the first part begins the name and the last ends it. */
function fits(pattern: string, model: string): boolean {
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!model.startsWith(first) || !model.endsWith(last) || model.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = model.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= model.length - last.length;
}

/** What was used of a model. */
export interface PricedUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** The part of the input that came from the provider's cache. */
  readonly cached_input_tokens?: number;
  /** The part of the input that was written to it. */
  readonly cache_write_tokens?: number;
}

/** What a call costs; undefined where the price is not known and something was used. */
export function costOf(price: Price | undefined, usage: PricedUsage): number | undefined {
  const { input_tokens, output_tokens, cached_input_tokens: cached = 0, cache_write_tokens: written = 0 } = usage;
  if (input_tokens + output_tokens === 0) return 0;
  if (!price) return undefined;
  const { long_context: long, cache_write_per_million } = price;
  const tier = long !== undefined && input_tokens > long.above_tokens ? long : price;
  const { input_per_million: input, output_per_million: output, cached_input_per_million = input } = tier;
  const plain = input_tokens - cached - written;
  const write = cache_write_per_million ?? input;
  return (plain * input + cached * cached_input_per_million + written * write + output_tokens * output) / 1_000_000;
}
