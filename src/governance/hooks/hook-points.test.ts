import { expect, test } from "vitest";
import { hookPoints, pointSpecs } from "./hook-points.ts";

test.for(hookPoints)("%s is listed under its own name, and its canary has only fields of its input", (point) => {
  const { point: own, input, canary } = pointSpecs[point];
  expect(own).toBe(point);
  expect(Object.keys(canary.payload).filter((field) => !input.includes(field))).toEqual([]);
});

test("programs find the names of Claude Code at the points that it has", () => {
  const named = hookPoints.filter((point) => pointSpecs[point].claudeCode.name !== null);
  expect(named.map((point) => pointSpecs[point].claudeCode.name)).toEqual(named);
});
