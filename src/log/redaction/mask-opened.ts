import type { OpenedValue } from "../sealed-values.ts";
import { replaceOutside } from "./seal-text.ts";

/** Puts handles back in place of values that were opened for a call, wherever they stand in a text. */
export type MaskText = (text: string) => string;

/** Undefined where no value stands out enough to be looked for. */
export function maskText(opened: readonly OpenedValue[]): MaskText | undefined {
  const masked = opened.flatMap(({ kind, value, handle }) =>
    kind !== "literal" && typeof value === "string" && standsOut(value) ? [{ handle, forms: formsOf(value) }] : [],
  );
  if (masked.length === 0) return undefined;
  return (text) => {
    let hidden = text;
    for (const { handle, forms } of masked)
      for (const form of forms) hidden = replaceOutside(hidden, form, () => handle);
    return hidden;
  };
}

/** The same in every text of a value. The same reference where nothing was found. */
export function maskJson<T>(value: T, mask: MaskText): T {
  if (typeof value === "string") return mask(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const copy = value.map((item: unknown) => maskJson(item, mask));
    return (copy.some((item, at) => item !== value[at]) ? copy : value) as T;
  }
  const entries = Object.entries(value).map(([key, item]) => [mask(key), maskJson(item as unknown, mask)] as const);
  const isSame = Object.entries(value).every(
    ([key, item], at) => key === entries[at]?.[0] && item === entries[at]?.[1],
  );
  return isSame ? value : (Object.fromEntries(entries) as T);
}

/** A short value or a plain word means itself in most places: only its own context makes it a secret. */
export function standsOut(value: string): boolean {
  return value.length >= 6 && !(value.length < 12 && /^[a-z]+$/.test(value));
}

/** As it is, and as JSON writes it. */
export function formsOf(value: string): readonly string[] {
  return [...new Set([value, JSON.stringify(value).slice(1, -1)])];
}
