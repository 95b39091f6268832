import type { ReviewFindingsV1 } from "#core/contracts";
import { type DomainError } from "#core/errors";
import { type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import { mergeFindings, type PersonaFindings } from "../findings/merge.ts";
import type { Admitted, DispatchPlan } from "../policies/plan-dispatch.ts";
import { answerSchema, askPersona, type PersonaAnswer } from "./ask-persona.ts";
import type { CycleRun } from "./cycle-run.ts";
import { type Share, shareOut } from "./shares.ts";
import { type CycleState, type Gathered, visitOf } from "./state.ts";

/** Results of the personas of a phase, in an order that does not depend on which answered first. */
export interface FanIn extends Pick<Gathered, "findings" | "coverage" | "failures"> {
  readonly output?: JsonValue;
  /** Number of untrusted tool results, over all personas. */
  readonly untrusted: number;
}

interface Placed extends Admitted {
  readonly agent_id: string;
  readonly share: Share;
}

const withoutPersonas: FanIn = {
  findings: [],
  coverage: { expected: [], reported: [], optional: [], files: [] },
  failures: [],
  untrusted: 0,
};

/** Asks all personas of a phase at once, each with its own rights and its own share of the budget, and merges their answers. */
export async function fanOut(run: CycleRun, state: CycleState, plan: DispatchPlan): Promise<Result<FanIn>> {
  if (plan.admitted.length === 0) return ok({ ...withoutPersonas, coverage: coverageOf(state, new Map()) });
  const placed = await announce(run, state, plan.admitted);
  if (!placed.ok) return placed;
  const answers = new Map<string, Result<PersonaAnswer>>();
  let untrusted = 0;
  const onUntrusted = () => {
    untrusted += 1;
  };
  // A persona that another one dispatches answers before it: one wave for each depth, and all personas of a wave at once.
  for (const wave of wavesOf(placed.value)) {
    const ended = await Promise.all(wave.map((each) => askOne(run, state, each, { answers, onUntrusted })));
    for (const [index, { persona }] of wave.entries()) {
      const answer = ended[index];
      if (answer === undefined) continue;
      if (!answer.ok && isFatal(answer.error)) return answer;
      answers.set(persona.id, answer);
    }
  }
  return ok(fanIn(state, placed.value, answers, untrusted));
}

/**
 * Records shares and agents before a persona is asked: every way of asking begins with an append, which makes this durable
 * too. A resumed cycle reads them from the record.
 */
async function announce(
  run: CycleRun,
  state: CycleState,
  admitted: readonly Admitted[],
): Promise<Result<readonly Placed[]>> {
  const status = await run.budgeter.status(run.budget);
  if (!status.ok) return status;
  const shares = shareOut(state.phase, admitted, status.value);
  const personas = admitted.map(({ persona, by, writeGrants }, index) => {
    const { token_limit = 0, turn_limit = 0, usd_limit } = shares[index] ?? {};
    return {
      persona: persona.id,
      role: persona.definition.role.role,
      agent_id: run.newAgentId(),
      ...(by === null ? {} : { for: by }),
      token_limit,
      turn_limit,
      ...(usd_limit === undefined ? {} : { usd_limit }),
      tools: [...persona.definition.tools],
      write_paths: narrowest(writeGrants.map(({ patterns }) => patterns ?? [])),
      definition_hash: persona.definition.hash,
    };
  });
  const recorded = run.recorder.stage({
    type: "workflow.fanned_out",
    actor: "workflow",
    payload: { cycle_id: state.cycle.id, phase: state.phase.id, visit: visitOf(state), personas },
  });
  if (!recorded.ok) return recorded;
  const { timeout_seconds } = status.value.limits;
  return ok(
    admitted.map((each, index) => {
      const {
        agent_id = "",
        token_limit = 0,
        turn_limit = 0,
        usd_limit,
      } = recorded.value.payload.personas[index] ?? {};
      return {
        ...each,
        agent_id,
        share: { token_limit, turn_limit, timeout_seconds, ...(usd_limit === undefined ? {} : { usd_limit }) },
      };
    }),
  );
}

/** Only for display: the shortest of the lists that must all name a path. The grants themselves decide. */
function narrowest(lists: readonly (readonly string[])[]): string[] {
  return [...(lists.toSorted((a, b) => a.length - b.length)[0] ?? [])];
}

function wavesOf(placed: readonly Placed[]): readonly (readonly Placed[])[] {
  const depth = (each: Placed): number => Math.max(0, ...each.persona.dispatches.map((below) => 1 + depthOf(below.id)));
  const depthOf = (id: string): number => {
    const found = placed.find(({ persona }) => persona.id === id);
    return found ? depth(found) : 0;
  };
  const waves: Placed[][] = [];
  for (const each of placed) {
    const at = depth(each);
    waves[at] = [...(waves[at] ?? []), each];
  }
  return waves.filter((wave) => wave !== undefined);
}

/** Answers of earlier waves, and the counter of untrusted input. */
interface Waves {
  readonly answers: ReadonlyMap<string, Result<PersonaAnswer>>;
  readonly onUntrusted: () => void;
}

async function askOne(
  run: CycleRun,
  state: CycleState,
  placed: Placed,
  { answers, onUntrusted }: Waves,
): Promise<Result<PersonaAnswer>> {
  const { persona, agent_id, share } = placed;
  const scope = { ...run.budget, agent_id, share: `${state.phase.id}.${visitOf(state)}.${persona.id}` };
  // A persona with a work order of its own gets its share there.
  const own = persona.definition.data.runs !== "work-order";
  const allocated = own
    ? await run.budgeter.allocate(scope, share, { recorder: run.recorder, parent: run.budget })
    : ok(undefined);
  if (!allocated.ok) return allocated;
  const role = persona.definition.role.role;
  const moved = run.recorder.stage({
    type: "agent.transition",
    actor: persona.id,
    payload: { from: "INTAKE", to: role.toUpperCase(), agent_id },
  });
  if (!moved.ok) return moved;
  const agents = run.agentsOf({
    persona: persona.id,
    agent_id,
    tools: {
      source: `persona ${persona.id} (allowed-tools, ${persona.definition.file})`,
      patterns: persona.definition.tools,
    },
    writes: placed.writeGrants,
    budget: scope,
    onUntrusted,
  });
  const reports: JsonObject = Object.fromEntries(
    persona.dispatches.flatMap(({ id }) => {
      const answer = answers.get(id);
      return answer?.ok ? [[id, answer.value.document]] : [];
    }),
  );
  const answer = await askPersona(run, state, placed, { agents, agent_id, reports, limits: share });
  // A session that stops without ending records nothing more: its budget is released without an event, and taken again on resume.
  if (!own) return answer;
  const ended: Result<unknown> =
    !answer.ok && isFatal(answer.error)
      ? await run.budgeter.suspend(scope)
      : await run.budgeter.release(scope, { recorder: run.recorder });
  return ended.ok ? answer : ended;
}

/** Errors that end the flow. Any other error is a failure of one persona, and coverage reports it. */
function isFatal({ kind }: DomainError): boolean {
  return kind === "log" || kind === "canceled" || kind === "internal" || kind === "doubt" || kind === "store";
}

function fanIn(
  state: CycleState,
  placed: readonly Placed[],
  answers: ReadonlyMap<string, Result<PersonaAnswer>>,
  untrusted: number,
): FanIn {
  const reports: PersonaFindings[] = [];
  const made: [string, JsonValue][] = [];
  const failures: NonNullable<FanIn["failures"]> = [];
  for (const each of placed) {
    const { id } = each.persona;
    const answer = answers.get(id);
    if (!answer?.ok) {
      if (answer) failures.push({ persona: id, code: answer.error.code, message: answer.error.message });
      continue;
    }
    if (answerSchema(state, each) === "review_findings_v1")
      reports.push({ persona: id, said: answer.value.document as unknown as ReviewFindingsV1 });
    else if (each.by === null) made.push([id, answer.value.document]);
  }
  const [first] = made;
  const output = made.length === 1 && first ? first[1] : made.length > 1 ? Object.fromEntries(made) : undefined;
  return {
    findings: [...mergeFindings(reports)],
    coverage: { ...coverageOf(state, answers), files: reports.flatMap(({ said }) => said.files ?? []).toSorted() },
    failures,
    untrusted,
    ...(output === undefined ? {} : { output }),
  };
}

function coverageOf(state: CycleState, answers: ReadonlyMap<string, Result<PersonaAnswer>>): Gathered["coverage"] {
  const expected = state.phase.agents.map(({ persona }) => persona.id);
  return {
    expected,
    reported: expected.filter((id) => answers.get(id)?.ok === true),
    optional: state.phase.agents.filter(({ optional }) => optional).map(({ persona }) => persona.id),
    files: [],
  };
}
