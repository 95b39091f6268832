import type { NamedCase } from "../cases.ts";
import type { Suite } from "../corpus.ts";
import { byDetour } from "./by-detour.ts";
import { byDisguise } from "./by-disguise.ts";
import { materialOf } from "./material.ts";

/** An attack that knows how values are judged, and by which way it tries. */
export interface AdaptiveCase extends NamedCase {
  readonly family: string;
}

/** Ways that an attacker tries who has read how values are judged. A way that a task leaves no room for is left out. */
const ways = [...byDetour, ...byDisguise];

/** Every task is attacked in every other way, so that each way is tried on half of the tasks. */
export function adaptiveCases(suite: Suite): readonly AdaptiveCase[] {
  return materialOf(suite).flatMap((material, at) =>
    ways.flatMap(({ family, caseOf }, way): readonly AdaptiveCase[] => {
      const isEverything = suite.tasks.length < ways.length;
      if (!isEverything && (at + way) % 2 === 1) return [];
      const made = caseOf(material);
      if (!made) return [];
      const { task, tools } = material;
      return [{ id: `${task.id} ${family}`, family, tools, prompt: task.prompt, ...made }];
    }),
  );
}
