import { domainError } from "#core/errors";
import { err, noFailpoints, ok, type Result } from "#core/values";
import { whyProtected } from "#governance";
import { compileGlob } from "#governance/mandate";
import type { Recorder } from "#log";
import { readBaseState } from "../commit/base-state.ts";
import { commitTurn } from "../commit/commit-turn.ts";
import type { RedoRecord } from "../commit/redo-record.ts";
import { writeEvidence } from "../evidence.ts";
import { workspaceView } from "../layer/file-view.ts";
import type { TurnDeps } from "../turn.ts";
import { dropFromQuarantine, type Quarantined, quarantinedFiles, showQuarantined } from "./quarantine.ts";
import { quarantinedCode } from "./quarantined-code.ts";

export interface QuarantineDecision {
  readonly turnId: string;
  /** Who decided. */
  readonly by: string;
  readonly recorder: Recorder;
  /** Patterns of code that runs which the person names: beside what the order named, nothing of that class lands. */
  readonly allowCode?: readonly string[];
}

/**
 * Commits quarantined writes by a person's decision. Paths that no turn may write are refused all the same, and so is code that
 * runs which neither the order nor the person named: "release" is as wide as `**`, which does not name it either.
 */
export async function releaseQuarantined(deps: TurnDeps, decision: QuarantineDecision): Promise<Result<Quarantined>> {
  const { store, root } = deps;
  const found = showQuarantined(store.quarantine, decision.turnId);
  if (!found.ok) return found;
  const about = found.value;
  for (const write of about.writes) {
    const why =
      write.kind === "refused" ? write.why : (whyProtected(write.path) ?? deps.named?.whyProtected(write.path));
    if (why !== undefined)
      return err(
        domainError(
          "CAPABILITY_VIOLATION",
          `${write.path} cannot be released: ${why}; drop it, or write what you need yourself`,
          { details: { path: write.path } },
        ),
      );
  }
  const allowed = mayRelease(deps, about, decision.allowCode ?? []);
  if (!allowed.ok) return allowed;
  const turnFolder = store.begin({
    turn_id: `${about.turn_id}-release`,
    turn_number: about.turn_number,
    session_id: about.session_id,
    slot: null,
  });
  const committed = await commitTurn({
    into: workspaceView(root),
    store,
    recorder: decision.recorder,
    turnFolder,
    turnId: about.turn_id,
    from: quarantinedFiles(store.quarantine, about),
    keep: true,
    writes: about.writes,
    owner: null,
    bases: { of: (path) => readBaseState(workspaceView(root), path) }, // the decision refers to the workspace as it is now
    conflict: () => undefined,
    event: decided(about, "released", decision.by),
    actor: decision.by,
    failpoint: deps.failpoint ?? noFailpoints,
  });
  if (!committed.ok) {
    if (committed.error.details["promised"] !== true) store.end(turnFolder);
    return committed;
  }
  dropFromQuarantine(store.quarantine, about.turn_id);
  return ok(about);
}

function mayRelease(deps: TurnDeps, about: Quarantined, allowCode: readonly string[]): Result<void> {
  const patterns: { matches(path: string): boolean }[] = [];
  for (const pattern of allowCode) {
    const compiled = compileGlob(pattern);
    if (!compiled.ok) return compiled;
    patterns.push(compiled.value);
  }
  const unnamed = quarantinedCode(about, deps.named).filter(
    ({ path, granted }) => !granted && !patterns.some((pattern) => pattern.matches(path.normalize("NFC"))),
  );
  const [first] = unnamed;
  if (!first) return ok(undefined);
  const names = unnamed.map(({ path }) => `--allow-code '${path}'`);
  return err(
    domainError(
      "CAPABILITY_VIOLATION",
      `${first.path} is code that runs (${first.why}), which its order did not name${unnamed.length > 1 ? `; so are ${unnamed.length - 1} more` : ""}; nothing was released`,
      {
        details: {
          path: first.path,
          paths: unnamed.map(({ path }) => path),
          hint: `look at it, and name it: writ turn quarantine release ${about.turn_id} ${names.slice(0, 3).join(" ")}${names.length > 3 ? " …" : ""}; or drop it`,
        },
      },
    ),
  );
}

/** Deletes quarantined writes by a person's decision. */
export async function dropQuarantined(deps: TurnDeps, decision: QuarantineDecision): Promise<Result<Quarantined>> {
  const found = showQuarantined(deps.store.quarantine, decision.turnId);
  if (!found.ok) return found;
  const event = decided(found.value, "dropped", decision.by);
  const recorded = await decision.recorder.append({ ...event, actor: decision.by });
  if (!recorded.ok) return recorded;
  dropFromQuarantine(deps.store.quarantine, decision.turnId);
  return found;
}

function decided(about: Quarantined, action: "released" | "dropped", by: string): RedoRecord["event"] {
  const { turn_id, turn_number, code, bytes, work_order_id } = about;
  const what = { action, code, outputs: about.writes.map(writeEvidence), bytes, by };
  if (work_order_id === undefined) return { type: "turn.quarantined", payload: { turn_id, turn_number, ...what } };
  return { type: "order.quarantined", payload: { work_order_id, quarantine_id: turn_id, ...what } };
}
