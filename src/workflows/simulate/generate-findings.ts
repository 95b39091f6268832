import { fraction, seededRandom } from "#core/values";
import type { Cycle } from "../definitions/cycle.ts";
import { autofixClasses, confidences, severities } from "../findings/finding.ts";
import type { Happening, Scenario } from "./scenario.ts";

const visits = 4;
const most = 5;

/** Findings at random, the same for the same seed; fewer from visit to visit, as rework should have it. */
export function generateScenario(cycle: Cycle, seed: number): Scenario {
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(fraction(random) * items.length)] as T;
  const phases: Record<string, Happening[]> = {};
  for (const phase of cycle.phases) {
    const reviewers = phase.agents.filter(({ persona }) => persona.definition.role.finds);
    if (reviewers.length === 0) continue;
    phases[phase.id] = Array.from({ length: visits }, (_, visit) => ({
      findings: Object.fromEntries(
        reviewers.map(({ persona }) => [
          persona.id,
          Array.from({ length: Math.floor((fraction(random) * most) / (visit + 1)) }, (__, index) => {
            const [severity, autofix_class, confidence] = [pick(severities), pick(autofixClasses), pick(confidences)];
            const file = `src/file-${Math.floor(fraction(random) * 3) + 1}`;
            return {
              title: `Generated finding ${index + 1}`,
              severity,
              autofix_class,
              confidence,
              file,
              line: Math.floor(fraction(random) * 9) + 1,
              category: "generated",
              ...(autofix_class.endsWith("_auto")
                ? { fix: { file, find: "as it is", replace: "as it should be" } }
                : {}),
            };
          }),
        ]),
      ),
    }));
  }
  return { phases };
}
