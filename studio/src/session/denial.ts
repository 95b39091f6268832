import { type ErrorCode, errorCodes } from "../../../src/core/errors/error-codes.ts";
import type { Event } from "../api/types.ts";

/** What stopped a tool call: the rule's code, and what it said. */
export interface Denial {
  readonly code: string;
  readonly reason: string;
}

/** A tool that stopped at a rule, not at a fault: what it wanted is not allowed to it. */
export function isRule(code: string | undefined): boolean {
  return errorCodes[code as ErrorCode]?.kind === "gate";
}

/** Why a call was denied, whichever of its events is looked at; null where no rule stopped it. */
export function denialOf(event: Event, loaded: readonly Event[]): Denial | null {
  const { call_id } = event.payload as { call_id?: string };
  const ofTheCall = [event, ...loaded].filter(
    (other) => call_id !== undefined && (other.payload as { call_id?: string }).call_id === call_id,
  );
  for (const { type, payload } of ofTheCall) {
    if (type === "tool.refused") return { code: payload.code, reason: payload.reason };
    if (type === "tool.result" && payload.status !== "ok" && isRule(payload.error?.code))
      return { code: payload.error?.code ?? "", reason: payload.error?.message ?? "" };
  }
  return null;
}
