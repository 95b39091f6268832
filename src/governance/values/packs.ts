import { valuePacks } from "./generated/value-packs.ts";
import type { PackRule } from "./pack-rule.ts";

type ShippedPack = keyof typeof valuePacks;

/** The pack that ships under a name: `strict`, or as a policy `values/strict`. */
export function isShippedPack(pack: string): boolean {
  return shippedName(pack) !== undefined;
}

/** Its rules, each with the line of its document: workflows/policies/values/NAME.md. */
export function rulesOfShipped(
  pack: string,
): { readonly file: string; readonly rules: readonly PackRule[] } | undefined {
  const name = shippedName(pack);
  return name && { file: `values/${name}.md`, rules: valuePacks[name] };
}

function shippedName(pack: string): ShippedPack | undefined {
  const name = pack.replace(/^values\//, "");
  return name === "standard" || name === "strict" ? name : undefined;
}
