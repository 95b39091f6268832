import type { SessionStep, SessionSteps } from "./session-steps.ts";

/** Two sessions at one place: the same, the same step with another result, or a step that only one of them made. */
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

/** The longest run of steps that both made in this order; what lies between belongs to one of them. */
export function alignSteps(a: readonly SessionStep[], b: readonly SessionStep[]): readonly AlignedStep[] {
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = isSameStep(a[i], b[j]) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const aligned: AlignedStep[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i] ?? null;
    const right = b[j] ?? null;
    if (left && right && isSameStep(left, right)) {
      aligned.push({ state: left.result === right.result ? "same" : "changed", a: left, b: right });
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

function isSameStep(a: SessionStep | undefined, b: SessionStep | undefined): boolean {
  return a !== undefined && b !== undefined && a.kind === b.kind && a.label === b.label;
}
