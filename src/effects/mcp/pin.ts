import type { JsonObject, Sha256 } from "#core/values";
import { offeredHash } from "./declared-values.ts";
import type { Offer, WireTool } from "./wire-tool.ts";

/** What a person approved: this definition, of a server reached in this way. */
export interface ToolPin {
  readonly server: string;
  /** As the server calls it. */
  readonly tool: string;
  /** As Writ calls it. */
  readonly name: string;
  readonly hash: Sha256;
  readonly definition: JsonObject;
  /** Canonical JSON of how the server is reached. */
  readonly launch: string;
}

/**
 *     new ──approve──► pinned ──the server says otherwise──► changed ──approve──► pinned
 *                        └──────the server is silent───────► vanished
 *
 * Only `pinned` is ever called.
 */
export type PinState = "pinned" | "changed" | "new" | "vanished";

export function pinStateOf(pin: ToolPin | undefined, offered: WireTool | undefined, launch: string): PinState {
  if (!pin) return "new";
  if (!offered) return "vanished";
  return offeredHash(pin) === offered.hash && pin.launch === launch ? "pinned" : "changed";
}

export interface JudgedTool {
  readonly tool: string;
  readonly state: PinState;
  readonly pin?: ToolPin;
  readonly offered?: WireTool;
}

/** Every tool that the server offers or that was approved of it, sorted by name. */
export function judgeOffer(offer: Offer, pins: readonly ToolPin[], launch: string): readonly JudgedTool[] {
  const pinned = new Map(pins.map((pin) => [pin.tool, pin]));
  const names = [...new Set([...offer.tools.keys(), ...pinned.keys()])].sort();
  return names.map((tool) => {
    const pin = pinned.get(tool);
    const offered = offer.tools.get(tool);
    return {
      tool,
      state: pinStateOf(pin, offered, launch),
      ...(pin ? { pin } : {}),
      ...(offered ? { offered } : {}),
    };
  });
}
