import { isJsonObject, parseJson } from "#core/values";
import { Fault, noObjection } from "./answer.ts";
import type { AskedAbout } from "./command-answer.ts";
import { pointSpecs } from "./hook-points.ts";

/**
 * What a model answered: `{"ok": true}` has no objection, `{"ok": false, "reason": …}` blocks as a program would. At Stop a model may
 * add `impossible`, and then the work ends. Anything else is a fault.
 */
export function verdictAnswer(type: "prompt" | "agent", said: string, { point }: AskedAbout): unknown {
  const parsed = parseJson(said.trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, "$1"));
  const value = parsed.ok ? parsed.value : undefined;
  if (!isJsonObject(value) || typeof value["ok"] !== "boolean")
    return new Fault(
      "bad_json",
      `was answered ${JSON.stringify(said.trim().slice(0, 80))}, expected {"ok": true} or {"ok": false, "reason": "…"}`,
    );
  const { ok, reason, impossible } = value;
  if (ok) return noObjection;
  const { block } = pointSpecs[point].claudeCode;
  if (block === "allow" && type === "prompt" && impossible === true) return noObjection;
  const why = typeof reason === "string" && reason.trim() !== "" ? reason.trim() : "it gave no reason";
  return { decision: block, reason: why };
}
