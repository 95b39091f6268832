import { domainError } from "../errors/domain-error.ts";
import { err, ok, type Result } from "../values/result.ts";

interface Wanted {
  /** What the number is, where a whole number is not all that there is to say: "a number of days". */
  readonly what?: string;
  /** Parts of one are allowed. */
  readonly isFraction?: boolean;
  /** 1 unless told. */
  readonly least?: number;
  /** The number must be more than this; in place of `least`. */
  readonly above?: number;
  readonly most?: number;
  /** A number that would do. */
  readonly example?: string;
}

const [whole, fraction] = [/^-?\d{1,16}$/, /^-?\d{1,16}(\.\d{1,16})?$/];

/**
 * The number that an option takes, written in digits. `Number` alone takes nothing for 0, and what is no number went on from
 * here as far as the store.
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
