import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonValue, type Result } from "#core/values";
import type { HookPoint } from "./hook-point.ts";

/** A transform that its point cannot take: dropped in silence it would pass for an allow. */
export function refuseTransform(point: HookPoint, expected: string, output: JsonValue): Result<never> {
  const found = Array.isArray(output)
    ? "an array"
    : isJsonObject(output)
      ? `an object with ${keys(output)}`
      : JSON.stringify(output).slice(0, 80);
  return err(
    domainError("GATE_DENIED", `gave a transform that ${point} cannot take: expected ${expected}, found ${found}`),
  );
}

/** For points that have nothing to replace. */
export function refuseAnyTransform(point: HookPoint, output: JsonValue): Result<never> {
  return refuseTransform(point, "no transform, only allow, deny or ask", output);
}

function keys(value: object): string {
  const names = Object.keys(value).slice(0, 8);
  return names.length === 0 ? "no fields" : `the fields ${names.join(", ")}`;
}
