import { violationsOf } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { canonicalJson, err, isJsonObject, isoTime, type JsonValue, ok, type Result, sha256 } from "#core/values";
import type { ArtifactDefinition } from "../definitions/definition.ts";
import { nameArtifact, slugOf } from "../definitions/naming.ts";
import type { CycleRun } from "./cycle-run.ts";
import type { Judgement } from "./judge.ts";
import { renderArtifact } from "./render-artifact.ts";
import { visitOf } from "./state.ts";

/** Hashes of the files that this run wrote, by path: a later generation replaces only files of the same run. */
export type Written = ReadonlyMap<string, string>;

/** Artifacts to deliver, and those that this run delivered before. */
export interface Delivery {
  /** When the cycle began, as recorded. */
  readonly startedAt: number;
  /** Ids of artifacts; null for all of the phase. */
  readonly delivered: readonly string[] | null;
  readonly written: Written;
}

/** Delivers the artifacts of a phase: validated first, named by their template, written through the protected write. */
export async function writeArtifacts(
  run: CycleRun,
  { state, aggregate }: Judgement,
  { startedAt, delivered, written }: Delivery,
): Promise<Result<Written>> {
  const all = new Map(written);
  for (const artifact of state.phase.artifacts) {
    if (delivered !== null && !delivered.includes(artifact.id)) continue;
    const { data } = artifact;
    const document = data.from === "review_aggregate" ? (aggregate as JsonValue | null) : state.outputs[state.phase.id];
    if (document === undefined || document === null) return err(nothingToWrite(artifact, state.phase.id));
    const checked = run.schemas.validate(data.schema, document);
    if (!checked.ok) return violation(run, artifact, checked.error);
    // The recorded start of the cycle: a run that is resumed tomorrow names its files as today.
    const started = isoTime(startedAt);
    const path = nameArtifact(data.naming, {
      date: started.slice(0, 10),
      time: started.slice(11, 19).replaceAll(":", ""),
      slug: slugOf(titleOf(document) ?? run.prompt),
      cycle: state.cycle.id,
      phase: state.phase.id,
      generation: String(state.generation),
      session: run.recorder.session_id,
      run: run.recorder.session_id.slice(-6),
      artifact: artifact.id,
    });
    const content =
      data.format === "json" ? `${JSON.stringify(document, null, 2)}\n` : renderArtifact(artifact.body, document);
    const wrote = await run.writeArtifact({
      call_id: `artifact.${state.phase.id}.${visitOf(state)}.${artifact.id}`,
      path,
      content,
      expected_hash: all.get(path) ?? "",
      why: `${artifact.id} of ${state.cycle.id}, phase ${state.phase.id}`,
    });
    if (!wrote.ok) return wrote;
    const recorded = run.recorder.stage({
      type: "workflow.artifact_written",
      actor: "workflow",
      payload: {
        cycle_id: state.cycle.id,
        phase: state.phase.id,
        artifact: artifact.id,
        path,
        schema_id: data.schema,
        document_hash: sha256(canonicalJson(document)),
        content_hash: sha256(content),
      },
    });
    if (!recorded.ok) return recorded;
    all.set(path, wrote.value.hash);
  }
  return ok(all);
}

async function violation(run: CycleRun, artifact: ArtifactDefinition, error: DomainError): Promise<Result<never>> {
  const recorded = await run.recorder.append({
    type: "schema.violation",
    actor: "workflow",
    payload: {
      schema_id: artifact.data.schema,
      where: `the artifact ${artifact.id}`,
      violations: violationsOf(error),
      message: error.message,
    },
  });
  if (!recorded.ok) return recorded;
  return err(
    domainError("SCHEMA_VIOLATION", `the artifact ${artifact.id} was not written: ${error.message}`, {
      details: error.details,
    }),
  );
}

function titleOf(document: JsonValue): string | undefined {
  const title = isJsonObject(document) ? document["title"] : undefined;
  return typeof title === "string" ? title : undefined;
}

function nothingToWrite({ id, data }: ArtifactDefinition, phase: string) {
  return domainError(
    "MISSING_OUTPUT",
    data.from === "review_aggregate"
      ? `the artifact ${id} is made of a review, and nobody reviews in ${phase}`
      : `the artifact ${id} is made of the output of ${phase}, which has none`,
  );
}
