import { createContext, useContext } from "react";
import type { Whoami } from "./types.ts";

/** The caller that uses the studio; null until the server has named it. */
export const Me = createContext<Whoami | null>(null);

/**
 * Why this caller may not do what needs the right; null where it may, and until the caller is known: the server checks in
 * any case.
 */
export function useWhyNot(right: string): string | null {
  const me = useContext(Me);
  if (!me || me.may.includes(right)) return null;
  const roles = me.roles.length === 0 ? "You have no role here" : `Your role here is ${me.roles.join(", ")}`;
  return `${roles}: it does not grant “${right}”.`;
}
