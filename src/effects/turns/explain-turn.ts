import type { TurnRequestV1 } from "#core/contracts";
import type { DomainError } from "#core/errors";
import type { SessionId } from "#core/values";
import type { Capabilities } from "./capability/capabilities.ts";
import { workspaceView } from "./layer/file-view.ts";
import { planTurn, type RecordedDecision } from "./plan-turn.ts";
import type { TurnDeps, TurnHandler } from "./turn.ts";

export interface TurnExplanation {
  /** Each thing that the turn declares, with the rule that allows or refuses it. */
  readonly decisions: readonly RecordedDecision[];
  /** Why it would not begin; null where it would. */
  readonly error: DomainError | null;
}

interface Asked {
  readonly request: TurnRequestV1;
  readonly capabilities: Capabilities;
  readonly networkOff: string | undefined;
}

/** A session that there will never be: what a turn would be in one, its paths can say. */
const imagined = "SES-00000000-00000000000000000000" as SessionId;

/** What a turn would be allowed, and by which rule, without running it: steps 1 and 2 alone. */
export function explainTurn(deps: Pick<TurnDeps, "root" | "schemas" | "named">, asked: Asked): TurnExplanation {
  const { handler = {} } = asked.request;
  const given: TurnHandler = handler.command
    ? { kind: "command", command: handler.command }
    : handler.module
      ? { kind: "module", module: handler.module }
      : { kind: "function", name: "function", run: () => null };
  const planned = planTurn(
    deps,
    { ...asked, handler: given, recorder: { session_id: imagined } },
    workspaceView(deps.root),
  );
  if (planned.ok) return { decisions: planned.value.decisions, error: null };
  return { decisions: "decisions" in planned ? planned.decisions : [], error: planned.error };
}
