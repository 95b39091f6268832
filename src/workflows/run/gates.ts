import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, ok, type Result } from "#core/values";
import type { FireContext } from "#governance";
import type { Mode, Phase } from "../definitions/cycle.ts";
import type { CycleRun } from "./cycle-run.ts";
import type { Outcome } from "./judge.ts";
import type { CycleState } from "./state.ts";

const modes: readonly string[] = ["interactive", "autofix", "report-only", "headless"];

/** WorkflowStart: allow, deny, or transform the input and the mode. The cycle itself is not the hook's to choose. */
export async function startGate(run: CycleRun): Promise<Result<{ readonly mode: Mode; readonly input: JsonObject }>> {
  const { cycle, mode, input } = run;
  const fired = await run.hooks.fire(
    "WorkflowStart",
    {
      subject: cycle.id,
      payload: { cycle_id: cycle.id, entry_phase: cycle.entry.id, mode, input, cycle_hash: cycle.hash },
    },
    asking(run, mode),
  );
  if (!fired.ok) return fired;
  const { decision, reason, output, decidedBy } = fired.value;
  if (decision === "deny" || decision === "ask")
    return err(denied("WorkflowStart", `the cycle ${cycle.id}`, reason, decidedBy));
  if (decision === "allow") return ok({ mode, input });
  const wanted = isJsonObject(output) ? output : {};
  const { mode: newMode = mode, input: newInput = input, cycle_id = cycle.id } = wanted as Record<string, unknown>;
  if (cycle_id !== cycle.id || !modes.includes(String(newMode)) || !isJsonObject(newInput))
    return err(
      denied(
        "WorkflowStart",
        `the cycle ${cycle.id}`,
        `${decidedBy} transformed it into something that is no mode and input of this cycle`,
        decidedBy,
      ),
    );
  return ok({ mode: newMode as Mode, input: newInput as JsonObject });
}

/** PhaseAdvance: allow, deny, or transform where the cycle goes; only to a phase that the cycle has. */
export async function advanceGate(
  run: CycleRun,
  state: CycleState,
  outcome: Extract<Outcome, { readonly kind: "advance" | "repeat" | "done" }>,
): Promise<Result<Phase | null>> {
  const to = outcome.kind === "advance" ? outcome.to : outcome.kind === "repeat" ? state.phase : null;
  const fired = await run.hooks.fire(
    "PhaseAdvance",
    {
      subject: `${state.phase.id} → ${to?.id ?? "end"}`,
      payload: {
        cycle_id: state.cycle.id,
        from_phase: state.phase.id,
        to_phase: to?.id ?? null,
        generation: state.generation,
        reason: outcome.reason,
        mode: state.mode,
        ...(state.aggregate === null
          ? {}
          : {
              verdict: state.aggregate.verdict,
              p0_unresolved: state.aggregate.p0_unresolved ?? 0,
              grade: state.aggregate.grade ?? 0,
            }),
      },
    },
    asking(run, state.mode),
  );
  if (!fired.ok) return fired;
  const { decision, reason, output, decidedBy } = fired.value;
  const step = `the step from ${state.phase.id} to ${to?.id ?? "the end"}`;
  if (decision === "deny" || decision === "ask") return err(denied("PhaseAdvance", step, reason, decidedBy));
  if (decision === "allow") return ok(to);
  const wanted = isJsonObject(output) ? output["to_phase"] : undefined;
  if (wanted === null) return ok(null);
  const other = state.cycle.phases.find((phase) => phase.id === wanted);
  if (other) return ok(other);
  return err(
    denied(
      "PhaseAdvance",
      step,
      `${decidedBy} sent it to ${JSON.stringify(wanted)}, which is no phase of ${state.cycle.id}`,
      decidedBy,
    ),
  );
}

/** WorkflowComplete: hooks are notified. What they decide changes nothing: the verdict is final. */
export async function completeGate(run: CycleRun, payload: JsonObject): Promise<Result<void>> {
  const fired = await run.hooks.fire(
    "WorkflowComplete",
    { subject: run.cycle.id, payload },
    { recorder: run.recorder, signal: run.signal },
  );
  return fired.ok ? ok(undefined) : fired;
}

/** In the modes without a person a hook that asks denies. */
function asking({ recorder, signal, ask }: CycleRun, mode: Mode): FireContext {
  const hasPeople = mode === "interactive" || mode === "autofix";
  return { recorder, signal, ...(hasPeople ? { ask } : {}) };
}

function denied(point: string, what: string, reason: string, decided_by: string) {
  return domainError("GATE_DENIED", `${point} refused ${what}: ${reason}`, { details: { point, decided_by } });
}
