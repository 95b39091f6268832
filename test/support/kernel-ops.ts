import fc from "fast-check";

/** Something that somebody may try at any time; numbers pick among what is there. */
export type Op =
  | { readonly op: "start" | "sweep" }
  | { readonly op: "advance"; readonly ms: number }
  | { readonly op: "claim"; readonly owner: number; readonly limit: number; readonly capabilities: number }
  | {
      readonly op: "complete" | "fail" | "block" | "release" | "extend" | "lease-patch";
      readonly lease: number;
      readonly as: number;
    }
  | { readonly op: "patch" | "pause" | "continue" | "cancel"; readonly run: number }
  | { readonly op: "turn"; readonly owner: number }
  | { readonly op: "answer"; readonly turn: number; readonly kind: number; readonly pick: number }
  | { readonly op: "fail-turn"; readonly turn: number };

const small = fc.nat({ max: 30 });
export const anyOp: fc.Arbitrary<Op> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Op>({ op: "start" }) },
  { weight: 1, arbitrary: fc.constant<Op>({ op: "sweep" }) },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant("advance" as const),
      ms: fc.constantFrom(1, 50, 99, 100, 200, 499, 500, 1_000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant("claim" as const),
      owner: fc.nat({ max: 1 }),
      limit: fc.integer({ min: 1, max: 4 }),
      capabilities: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constantFrom("complete", "complete", "fail", "block", "release", "extend", "lease-patch"),
      lease: small,
      as: fc.nat({ max: 9 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constantFrom("patch", "patch", "patch", "pause", "continue", "continue", "cancel"),
      run: small,
    }),
  },
  { weight: 5, arbitrary: fc.record({ op: fc.constant("turn" as const), owner: fc.nat({ max: 1 }) }) },
  {
    weight: 7,
    arbitrary: fc.record({ op: fc.constant("answer" as const), turn: small, kind: fc.nat({ max: 6 }), pick: small }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("fail-turn" as const), turn: small }) },
);
export const anyHistory: fc.Arbitrary<readonly Op[]> = fc.array(anyOp, { minLength: 10, maxLength: 80 });
export const runs: number = process.env["WRIT_CAMPAIGN"] === "1" ? 100_000 : 1_000;
