import { domainError } from "../errors/domain-error.ts";
import { err, ok, type Result } from "../values/result.ts";

interface Wanted {
  /** What the number is, where "a whole number" does not say enough: "a number of days". */
  readonly what?: string;
  /** Fractions are allowed. */
  readonly isFraction?: boolean;
  /** The smallest value; 1 by default. */
  readonly least?: number;
  /** The number must be greater than this; used in place of `least`. */
  readonly above?: number;
  readonly most?: number;
  /** A valid value, for the message. */
  readonly example?: string;
}

const [whole, fraction] = [/^-?\d{1,16}$/, /^-?\d{1,16}(\.\d{1,16})?$/];

/**
 * The number that an option takes, written in digits. `Number` alone reads an empty text as 0 and lets NaN through as
 * far as the store.
 */
export function numberOption(option: string, text: string, wanted: Wanted = {}): Result<number> {
  const { isFraction = false, above, most = Number.MAX_SAFE_INTEGER } = wanted;
  const least = wanted.least ?? (above === undefined ? 1 : above);
  const number = (isFraction ? fraction : whole).test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most && number !== above) return ok(number);
  const example = wanted.example === undefined ? "" : `; such as ${option} ${wanted.example}`;
  return err(
    domainError(
      "MALFORMED_INPUT",
      `${option} takes ${wanted.what ?? "a whole number"}${boundsOf(least, above, most)}, not ${JSON.stringify(text)}${example}`,
    ),
  );
}

function boundsOf(least: number, above: number | undefined, most: number): string {
  const isBounded = most < Number.MAX_SAFE_INTEGER;
  if (above !== undefined) return ` above ${above}${isBounded ? `, at most ${most}` : ""}`;
  if (isBounded) return ` from ${least} to ${most}`;
  return least === -Number.MAX_SAFE_INTEGER ? "" : `, at least ${least}`;
}
