import type { SessionStep, SessionSteps } from "./session-steps.ts";

/**
 * Two sessions at one place: the same; changed, which is the same step with another result, or the same tool with other
 * arguments; or a step that only one of them made.
 */
export interface AlignedStep {
  readonly state: "same" | "changed" | "only_a" | "only_b";
  readonly a: SessionStep | null;
  readonly b: SessionStep | null;
}

export interface SessionDiff {
  readonly same: boolean;
  readonly steps: readonly AlignedStep[];
  readonly output: { readonly same: boolean; readonly a: string | null; readonly b: string | null };
  readonly status: { readonly a: string | null; readonly b: string | null };
  readonly cost: { readonly a: Cost; readonly b: Cost };
}

interface Cost {
  readonly tokens: number;
  readonly usd: number;
}

/** Aligns by what each step is, then compares what came of it. */
export function diffSessions(a: SessionSteps, b: SessionSteps): SessionDiff {
  const steps = alignSteps(a.steps, b.steps);
  const output = { same: a.output === b.output, a: a.output, b: b.output };
  return {
    same: output.same && a.status === b.status && steps.every(({ state }) => state === "same"),
    steps,
    output,
    status: { a: a.status, b: b.status },
    cost: { a: { tokens: a.tokens, usd: a.usd }, b: { tokens: b.tokens, usd: b.usd } },
  };
}

/** So many steps of each are held against each other at once: two sessions of 100,000 events would need gigabytes. */
const most = 1_000;
/** One step that is the same outweighs all that only have their tool in common. */
const sameWeight = most + 1;

/** As many steps as both made in this order, then as many calls of the same tool; what lies between belongs to one of them. */
export function alignSteps(a: readonly SessionStep[], b: readonly SessionStep[]): readonly AlignedStep[] {
  const aligned: AlignedStep[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left && right && isSameStep(left, right)) {
      aligned.push(pairOf(left, right));
      i += 1;
      j += 1;
      continue;
    }
    const rows = alignWindow(a.slice(i, i + most), b.slice(j, j + most));
    const isRest = i + most >= a.length && j + most >= b.length;
    for (const row of isRest ? rows : settled(rows)) {
      aligned.push(row);
      if (row.a) i += 1;
      if (row.b) j += 1;
    }
  }
  return aligned;
}

/** Where the window cuts, what follows the last pair may still find its own in the next one; unless that is most of it. */
function settled(rows: readonly AlignedStep[]): readonly AlignedStep[] {
  const upToPair = rows.slice(0, rows.findLastIndex(({ a, b }) => a && b) + 1);
  return upToPair.length >= most / 2 ? upToPair : rows;
}

function alignWindow(a: readonly SessionStep[], b: readonly SessionStep[]): readonly AlignedStep[] {
  const width = b.length + 1;
  const best = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => best[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const weight = weightOf(a[i], b[j]);
      best[i * width + j] = Math.max(weight > 0 ? at(i + 1, j + 1) + weight : 0, at(i + 1, j), at(i, j + 1));
    }
  const aligned: AlignedStep[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i] ?? null;
    const right = b[j] ?? null;
    const weight = weightOf(left, right);
    if (left && right && weight > 0 && at(i, j) === at(i + 1, j + 1) + weight) {
      aligned.push(pairOf(left, right));
      i += 1;
      j += 1;
    } else if (left && (!right || at(i + 1, j) >= at(i, j + 1))) {
      aligned.push({ state: "only_a", a: left, b: null });
      i += 1;
    } else {
      aligned.push({ state: "only_b", a: null, b: right });
      j += 1;
    }
  }
  return aligned;
}

function pairOf(a: SessionStep, b: SessionStep): AlignedStep {
  return { state: isSameStep(a, b) && a.result === b.result ? "same" : "changed", a, b };
}

function weightOf(a: SessionStep | null | undefined, b: SessionStep | null | undefined): number {
  if (!a || !b || a.kind !== b.kind || a.name !== b.name) return 0;
  return a.label === b.label ? sameWeight : 1;
}

function isSameStep(a: SessionStep, b: SessionStep): boolean {
  return weightOf(a, b) === sameWeight;
}
