import { numberOption } from "#core/commands";
import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";

export interface RangeOptions {
  readonly uses?: string;
  readonly tools?: readonly string[];
  readonly files?: readonly string[];
  readonly readFiles?: readonly string[];
  readonly usd?: string;
  readonly tokens?: string;
}

type Range = NonNullable<NonNullable<WorkOrder["authorization"]>["chain"][number]["range"]>;

export function asksForRange({ uses, tools, files, readFiles, usd, tokens }: RangeOptions): boolean {
  return [uses, tools, files, readFiles, usd, tokens].some((option) => option !== undefined);
}

/** The range of a link: what the options say, and where they say nothing as far as the order at hand reaches. */
export function rangeOf(order: JsonObject, options: RangeOptions, expires_at: string | undefined): Result<Range> {
  if (expires_at === undefined)
    return err(domainError("MALFORMED_INPUT", "a range has an end: say how many days it is good for (--days)"));
  const { scope, tool_permissions = [], budget = {} } = order as Partial<WorkOrder>;
  const uses = numberOption("--uses", options.uses ?? "1");
  if (!uses.ok) return uses;
  const usd = amount("--usd", options.usd, budget.usd_limit);
  if (!usd.ok) return usd;
  const tokens = amount("--tokens", options.tokens, budget.token_limit);
  if (!tokens.ok) return tokens;
  const read = options.readFiles ?? scope?.read_files;
  const hosts = scope?.hosts;
  return ok({
    tools: [...(options.tools ?? tool_permissions.map((each) => (typeof each === "string" ? each : each.tool)))],
    files: [...(options.files ?? scope?.allowed_files ?? [])],
    ...(read ? { read_files: [...read] } : {}),
    ...(hosts ? { hosts } : {}),
    usd: usd.value,
    tokens: tokens.value,
    uses: uses.value,
    expires_at,
  });
}

function amount(option: "--usd" | "--tokens", said: string | undefined, asked: number | undefined): Result<number> {
  if (said !== undefined)
    return option === "--usd"
      ? numberOption(option, said, { what: "a number of dollars", isFraction: true, least: 0 })
      : numberOption(option, said);
  if (asked !== undefined) return ok(asked);
  return err(
    domainError("MALFORMED_INPUT", `a range bounds money, and the order's budget names none: say how much (${option})`),
  );
}
