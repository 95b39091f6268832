import type { Mandate } from "#governance/mandate";
import type { Visibility } from "../sandbox/hide-unseen.ts";

/** Both have to show a path: what the package or the program may read, and what the order may. */
export function visibleToBoth(rights: Visibility, mandate: Mandate | undefined): Visibility {
  if (!mandate) return rights;
  return {
    isVisible: (path) => rights.isVisible(path) && mandate.decide({ kind: "read", path }).allowed,
    visibilityBelow: (folder) => {
      const extents = [rights.visibilityBelow(folder), mandate.readsBelow(folder)];
      if (extents.includes("none")) return "none";
      return extents.includes("mixed") ? "mixed" : "all";
    },
  };
}
