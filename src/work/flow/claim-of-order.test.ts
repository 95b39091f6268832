import { expect, test } from "vitest";
import type { WorkOrder } from "#core/contracts";
import { sha256 } from "#core/values";
import { workOrder } from "../../../test/support/runtime-workspace.ts";
import { claimOfOrder } from "./claim-of-order.ts";

const claim = (changes: object) =>
  claimOfOrder({ keyedHash: sha256 }, workOrder(changes) as unknown as WorkOrder, undefined).order_hash;
const now = { schema_version: "v2", scope: { allowed_files: [], read_files: ["**"] } };

test("an order under a key is the one that was asked for before orders said what they read", () => {
  const key = { idempotency_key: "run/think/1" };
  const before = claim({ ...key, schema_version: "v1" });
  expect(claim({ ...key, ...now })).toBe(before);
  expect(claim({ ...key, ...now, input: { prompt: "another" } })).not.toBe(before);
  expect(claim({ ...key, ...now, scope: { allowed_files: [], read_files: ["src/**"] } })).not.toBe(before);
  expect(claim({ ...key, ...now, landing: "each_turn" })).not.toBe(before);
});

test("without a key every word counts", () => {
  expect(claim(now)).not.toBe(claim({ schema_version: "v1" }));
});
