import type { Screen } from "./screen.ts";

export function duration(ms: number): string {
  if (ms < 1) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}

/** Time since the session's first event, at a constant width as far as possible. */
export function offset(ms: number): string {
  if (ms < 100_000) return (ms / 1000).toFixed(3).padStart(6, "0");
  const minutes = Math.floor(ms / 60_000);
  return `${minutes}:${((ms % 60_000) / 1000).toFixed(1).padStart(4, "0")}`;
}

export function ago(ms: number): string {
  if (ms < 5_000) return "just now";
  if (ms < 60_000) return `${Math.round(ms / 1000)} s ago`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min ago`;
  if (ms < 86_400_000) return `${Math.round(ms / 3_600_000)} h ago`;
  return `${Math.round(ms / 86_400_000)} d ago`;
}

/** Thousands separated by commas in every locale. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function plural(value: number, word: string): string {
  return `${count(value)} ${word}${value === 1 ? "" : "s"}`;
}

export function money(usd: number): string {
  return `$${usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toPrecision(2)}`;
}

/** What models cost; one whose price is not known is named, and never counts as $0.00. */
export function moneySpent(usd: number, unpriced: readonly string[] | undefined): string {
  if (!unpriced || unpriced.length === 0) return money(usd);
  const unknown = `price of ${unpriced.join(", ")} unknown`;
  return usd === 0 ? unknown : `${money(usd)}, ${unknown}`;
}

/** How far something went beyond its limits. */
export function overBudget({ tokens, usd }: { readonly tokens?: number; readonly usd?: number }): string {
  const parts = [
    ...(tokens === undefined ? [] : [plural(tokens, "token")]),
    ...(usd === undefined ? [] : [money(usd)]),
  ];
  return `over budget by ${parts.join(" and ")}`;
}

/** A bar in proportion to the longest; at least one character. */
export function bar(part: number, longest: number, width: number, screen: Screen): string {
  const length = longest <= 0 ? 0 : Math.max(1, Math.round((part / longest) * width));
  return (screen.unicode ? "▇" : "#").repeat(length);
}
