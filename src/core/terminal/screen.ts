import picocolors from "picocolors";
import type { CliContext, Output } from "../commands/context.ts";

type Paint = (text: string) => string;

/** What the terminal behind an output can show. */
export interface Screen {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
  /** False in a terminal that asked for plain ASCII. */
  readonly unicode: boolean;
  readonly live: boolean;
  readonly width: number;
  readonly sign: {
    readonly ok: string;
    readonly bad: string;
    readonly warn: string;
    readonly dot: string;
    readonly arrow: string;
  };
}

const unicodeSigns = { ok: "✓", bad: "✗", warn: "!", dot: "·", arrow: "→" };
const asciiSigns = { ok: "ok", bad: "x", warn: "!", dot: "-", arrow: "->" };

/** The screen behind an output: colours only on a terminal whose user did not decline them. */
export function screenOf(output: Output, env: CliContext["env"]): Screen {
  const unicode = showsUnicode(env);
  const { bold, dim, red, green, yellow, cyan } = picocolors.createColors(showsColour(output, env));
  return {
    bold,
    dim,
    red,
    green,
    yellow,
    cyan,
    unicode,
    live: output.isTTY && env["TERM"] !== "dumb",
    width: output.columns,
    sign: unicode ? unicodeSigns : asciiSigns,
  };
}

export function showsColour(output: Output, env: CliContext["env"]): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"] && env["FORCE_COLOR"] !== "0") return true;
  return output.isTTY && env["TERM"] !== "dumb";
}

/** A locale that names another character set, or a dumb terminal, gets ASCII; without a locale Unicode is assumed. */
function showsUnicode(env: CliContext["env"]): boolean {
  if (env["TERM"] === "dumb") return false;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  return !locale || /utf-?8/i.test(locale);
}
