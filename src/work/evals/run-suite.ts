import type { EvalReportV1 } from "#core/contracts";
import { isoTime } from "#core/values";
import { grade } from "./grade.ts";
import type { EvalPorts } from "./ports.ts";
import type { PreparedCase, Suite } from "./suite.ts";

type CaseReport = EvalReportV1["cases"][number];
type Repeat = CaseReport["repeats"][number];

export interface RunOptions {
  readonly signal: AbortSignal;
  readonly repeat?: number;
  readonly profile?: string;
  /** Called after each repeat, in the order in which they end. */
  readonly onRepeat?: (caseId: string, repeat: Repeat, done: number, all: number) => void;
}

const defaultConcurrency = 4;

/** Runs every repeat of every case with bounded concurrency and grades each answer. The report is in the order of the suite. */
export async function runSuite(suite: Suite, ports: EvalPorts, options: RunOptions): Promise<EvalReportV1> {
  const began = ports.clock.now();
  const jobs = suite.cases.flatMap((one) =>
    Array.from({ length: options.repeat ?? one.repeat ?? suite.repeat ?? 1 }, () => one),
  );
  const repeats = new Map<string, Repeat[]>(suite.cases.map((one) => [one.id, []]));
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let one = jobs[next++]; one && !options.signal.aborted; one = jobs[next++]) {
      const repeat = await runCase(one, suite, ports, options);
      repeats.get(one.id)?.push(repeat);
      options.onRepeat?.(one.id, repeat, ++done, jobs.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(suite.concurrency ?? defaultConcurrency, jobs.length) }, work));

  const cases = suite.cases.map(({ id }): CaseReport => {
    const mine = repeats.get(id) ?? [];
    return {
      id,
      pass_rate: mine.length === 0 ? 0 : mine.filter(({ passed }) => passed).length / mine.length,
      repeats: mine,
    };
  });
  const all = cases.flatMap((one) => one.repeats);
  const passed = cases.filter(({ pass_rate }) => pass_rate === 1).length;
  const profile = options.profile ?? suite.profile;
  return {
    suite: suite.id,
    suite_hash: suite.hash,
    ...(profile === undefined ? {} : { profile }),
    ran_at: isoTime(began),
    duration_ms: ports.clock.now() - began,
    passed,
    failed: cases.length - passed,
    tokens: all.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
    usd: all.reduce((sum, { usd = 0 }) => sum + usd, 0),
    cases,
    schema_version: "v1",
  };
}

async function runCase(one: PreparedCase, suite: Suite, ports: EvalPorts, options: RunOptions): Promise<Repeat> {
  const profile = options.profile ?? suite.profile;
  const submitted = await ports.submit(
    {
      input: one.input,
      ...(one.skill === undefined ? {} : { skill: one.skill }),
      ...(profile === undefined ? {} : { profile }),
      ...(one.work_order === undefined ? {} : { order: one.work_order }),
    },
    options.signal,
  );
  if (!submitted.ok)
    return {
      status: "rejected",
      passed: false,
      grades: [{ grader: "flow", passed: false, reason: submitted.error.message }],
    };
  const result = submitted.value;
  const facts = {
    session_id: result.session_id ?? null,
    work_order_id: result.work_order_id ?? null,
    status: result.status,
    output: result.response ?? null,
    tokens: (result.tokens_used?.input ?? 0) + (result.tokens_used?.output ?? 0),
    usd: result.usd ?? 0,
    duration_ms: result.duration_ms,
  };
  if (result.status !== "success")
    return {
      ...facts,
      passed: false,
      grades: [{ grader: "flow", passed: false, reason: result.error ?? result.status }],
    };
  const grades = await Promise.all(one.asked.map((grader) => grade(grader, { one, result }, ports, options.signal)));
  return { ...facts, passed: grades.every(({ passed }) => passed), grades };
}
