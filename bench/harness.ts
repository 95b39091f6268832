/** How a bench measures: limit, peers and Writ take turns, so that a machine that slows down slows all of them down. */

export interface Contender {
  readonly name: string;
  /** What the machine or a hand-written loop can do, what others do, what we do. */
  readonly role: "limit" | "peer" | "writ";
  /** Measures once and answers in the measure's unit. */
  sample(): number | Promise<number>;
}

export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly rounds: number;
  /** Rounds that are run and thrown away. */
  readonly warmups: number;
  readonly contenders: readonly Contender[];
  readonly goals: readonly Goal[];
}

/** What Writ aims for: its value over another's, in one run. */
export interface Goal {
  readonly contender: string;
  readonly over: string;
  readonly ratio: number;
  readonly sense: "at most" | "at least";
}

export interface Bench {
  readonly title: string;
  /** Whether the packages of bench/peers/ must be installed first. */
  readonly peers: boolean;
  measures(): readonly Measure[] | Promise<readonly Measure[]>;
}

export interface Row {
  readonly name: string;
  readonly role: Contender["role"];
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly samples: readonly number[];
}

export interface GoalResult extends Goal {
  readonly found: number;
  readonly reached: boolean;
}

export interface MeasureResult {
  readonly name: string;
  readonly unit: string;
  readonly rows: readonly Row[];
  readonly goals: readonly GoalResult[];
}

export async function take(measure: Measure): Promise<MeasureResult> {
  const samples = new Map<string, number[]>(measure.contenders.map(({ name }) => [name, []]));
  for (let round = -measure.warmups; round < measure.rounds; round++) {
    // The order turns with the rounds: whoever comes first in a round has no lasting advantage.
    const turned = measure.contenders.map((_, index, all) => all[(index + round + measure.warmups) % all.length]);
    for (const contender of turned) {
      if (!contender) continue;
      const value = await contender.sample();
      if (round >= 0) samples.get(contender.name)?.push(value);
    }
  }
  const rows = measure.contenders.map(({ name, role }): Row => {
    const taken = samples.get(name) ?? [];
    return { name, role, median: median(taken), low: Math.min(...taken), high: Math.max(...taken), samples: taken };
  });
  const goals = measure.goals.map((goal): GoalResult => {
    const found = ratio(samples.get(goal.contender) ?? [], samples.get(goal.over) ?? []);
    return { ...goal, found, reached: goal.sense === "at most" ? found <= goal.ratio : found >= goal.ratio };
  });
  return { name: measure.name, unit: measure.unit, rows, goals };
}

/** The median of the rounds' own ratios: what slowed one round down slowed both sides of it. */
function ratio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
