import { harmless, type Screen } from "#core/terminal";
import type { OrderRights, RightUse } from "#governance/mandate";

/** After an order: what it was granted and never used, and wide rights that were used for little. */
export function rightsText(run: OrderRights | null, screen: Screen): readonly string[] {
  if (run === null) return [];
  const unused = run.rights.filter(({ used }) => used === 0);
  const wide = run.rights.filter(({ used, pattern }) => used !== null && used > 0 && /[*?[{]/.test(pattern));
  const line = ({ right, pattern, path }: RightUse, more: string) =>
    `  ${right.padEnd(10)} ${harmless(pattern).padEnd(24)} ${screen.dim(`${path}${more}`)}`;
  return [
    `granted and never used in ${run.session_id}:`,
    ...(unused.length === 0 ? [screen.dim("  nothing")] : unused.map((each) => line(each, ""))),
    ...wide.map((each) => line(each, `: used for ${usedFor(each)}`)),
    ...run.rights
      .filter(({ used }) => used === null)
      .map((each) => line(each, ": a program ran, and what it read is not recorded")),
    "",
  ];
}

function usedFor({ used, examples }: RightUse): string {
  const more = (used ?? 0) - examples.length;
  return `${examples.map(harmless).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
