import { createContext, useContext } from "react";
import type { Whoami } from "./types.ts";

/** Who looks at the studio; null until the server has said so. */
export const Me = createContext<Whoami | null>(null);

/**
 * Why whoever looks may not do what needs this right; null where they may. Until it is known who they are nothing is
 * claimed: the server decides in any case.
 */
export function useWhyNot(right: string): string | null {
  const me = useContext(Me);
  if (!me || me.may.includes(right)) return null;
  const roles = me.roles.length === 0 ? "You have no role here" : `Your role here is ${me.roles.join(", ")}`;
  return `${roles}: it does not grant “${right}”.`;
}
