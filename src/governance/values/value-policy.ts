import type { MandateV1 } from "#core/contracts";

type Packs = NonNullable<NonNullable<MandateV1["values"]>["packs"]>;

/** A document of rules over values as a mandate holds it: with the text of its rules, so that a session goes on under them. */
export type ValuePolicy = Packs[number];
