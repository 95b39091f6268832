/** The planes of a session; a flow uses its work order's `plane_id`. */
export type Tier = "hot" | "ho2" | "ho1";

export const tiers: readonly Tier[] = ["hot", "ho2", "ho1"];

export function isTier(value: unknown): value is Tier {
  return value === "hot" || value === "ho2" || value === "ho1";
}
