/** Tokens as a provider reported them, once they have been believed. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** The part of the input that came from the provider's cache. */
  readonly cached_input_tokens?: number;
  /** The part of the input that was written to it. */
  readonly cache_write_tokens?: number;
  /** The part of the output that was thought and not said. */
  readonly reasoning_tokens?: number;
  readonly estimated: boolean;
}

// No call moves more than this; a larger figure is a fault of the provider, not a bill.
const most = 100_000_000;

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, estimated: false };

/**
 * Usage is evidence from outside: missing, negative, fractional, NaN or absurd figures are replaced by what was
 * reserved and marked as estimated, never by a silent 0.
 */
export function believeUsage(
  reported: unknown,
  reserved: { readonly input_tokens: number; readonly output_tokens: number },
): Usage {
  const usage = (typeof reported === "object" && reported !== null ? reported : {}) as Record<string, unknown>;
  const input = plausible(usage["input_tokens"]);
  const output = plausible(usage["output_tokens"]);
  if (input === undefined || output === undefined) return { ...pick(reserved), estimated: true };
  const cached = Math.min(plausible(usage["cached_input_tokens"]) ?? 0, input);
  const written = Math.min(plausible(usage["cache_write_tokens"]) ?? 0, input - cached);
  const thought = Math.min(plausible(usage["reasoning_tokens"]) ?? 0, output);
  return {
    input_tokens: input,
    output_tokens: output,
    ...(cached > 0 ? { cached_input_tokens: cached } : {}),
    ...(written > 0 ? { cache_write_tokens: written } : {}),
    ...(thought > 0 ? { reasoning_tokens: thought } : {}),
    estimated: usage["estimated"] === true,
  };
}

/** What an attempt that failed used: nothing when it never left, else what the provider says, else what was reserved. */
export function usageOfFailure(
  { details }: { readonly details: Readonly<Record<string, unknown>> },
  reserved: { readonly input_tokens: number; readonly output_tokens: number },
): Usage {
  return details["sent"] === false ? noUsage : believeUsage(details["usage"], reserved);
}

function plausible(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= most ? value : undefined;
}

function pick(reserved: { readonly input_tokens: number; readonly output_tokens: number }) {
  return { input_tokens: reserved.input_tokens, output_tokens: reserved.output_tokens };
}
