import type { TurnStartedEventV1 } from "#core/contracts";

/** How a turn was kept apart, as the evidence records it. */
export type Isolation = TurnStartedEventV1["isolation"];

/** T3 is the full promise; weaker tiers run only where the profile names them. */
export type Tier = Isolation["tier"];

const strength: Record<Tier, number> = { T0: 0, T1: 1, T2: 2, T3: 3 };

export function isBelow(tier: Tier, minimum: Tier): boolean {
  return strength[tier] < strength[minimum];
}
