/** Tokens as a provider reported them, once they have been believed. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly estimated: boolean;
}

// No call moves more than this; a larger figure is a fault of the provider, not a bill.
const most = 100_000_000;

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
  return { input_tokens: input, output_tokens: output, estimated: usage["estimated"] === true };
}

function plausible(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= most ? value : undefined;
}

function pick(reserved: { readonly input_tokens: number; readonly output_tokens: number }) {
  return { input_tokens: reserved.input_tokens, output_tokens: reserved.output_tokens };
}
