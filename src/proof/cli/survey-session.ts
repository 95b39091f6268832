import { CommandFailed } from "#core/commands";
import type { DomainError } from "#core/errors";
import { limitHeapGrowth } from "#core/machine";
import { err, ok, type Result, type SessionId } from "#core/values";
import { type Event, type EventKinds, Fold, type LogReader, replay, type Snapshot } from "#log";
import { type Answers, AnswersFold } from "#log/answers";
import { TimelineMeasure } from "./draw-timeline.ts";
import { type TouchedFile, TouchedFiles } from "./files-of.ts";
import { isWanted, type View } from "./render-session.ts";
import { Spans, Timeline, type TimelineRow } from "./timeline.ts";

/** An order is recorded among the first events, or not at all. */
const openingLength = 32;

/** From here on memory counts: of 300,000 events 64 MB live, and V8 would take 370 before it looks for the rest. */
const many = 50_000;

type Needs = Parameters<typeof replay>[1] & { readonly reader: LogReader; readonly eventKinds: EventKinds };

/** What one reading of a session keeps of it. Its rows are read again when they are printed: there may be millions. */
export interface Survey {
  readonly snapshot: Snapshot;
  /** Of the rows that `only` asks for. */
  readonly measure: TimelineMeasure;
  readonly files: readonly TouchedFile[];
  /** Who allowed it, what did it see, what did it write, what did it cost. */
  readonly answers: Answers;
  readonly opening: readonly Event[];
  readonly close: Event<"session.close"> | undefined;
  readonly rows: (keepsEvents: boolean) => AsyncGenerator<TimelineRow>;
}

/** Reads a session to its end, proving every line, so that nothing is printed of one that is damaged. */
export async function surveySession(
  session_id: SessionId,
  needs: Needs,
  only: View | undefined,
): Promise<Result<Survey>> {
  const { reader, eventKinds, schemas } = needs;
  const timeline = new Timeline(eventKinds, { keepsEvents: false });
  const measure = new TimelineMeasure();
  const spans = new Spans();
  const touched = new TouchedFiles();
  const fold = new Fold(session_id, schemas);
  const answers = new AnswersFold();
  const opening: Event[] = [];
  let last: Event | undefined;
  let unfolded: DomainError | undefined;
  const measureSettled = (all: boolean) => {
    for (const row of timeline.settled(all)) {
      spans.push(Math.max(0, (row.seqs.at(-1) ?? row.seq) - row.seq));
      if (isWanted(row, only)) measure.add(row);
    }
  };
  for await (const batch of reader.readBatches(session_id)) {
    if (!batch.ok) return batch;
    for (const event of batch.value) {
      timeline.add(event);
      touched.add(event);
      answers.add(event);
      if (!unfolded) {
        const folded = fold.add(event);
        if (!folded.ok) unfolded = folded.error;
      }
      if (opening.length < openingLength) opening.push(event);
      last = event;
    }
    measureSettled(false);
    if (fold.eventCount > many) limitHeapGrowth();
  }
  measureSettled(true);
  if (unfolded) return err(unfolded); // damage to the lines behind it is reported first
  const corrected = fold.found.size > 0 ? await replay(session_id, { ...needs, verify: false }) : ok(fold.snapshot());
  if (!corrected.ok) return corrected;
  const end = last?.seq ?? 0;
  return ok({
    snapshot: corrected.value,
    measure,
    files: touched.list(),
    answers: answers.answers(),
    opening,
    close: last?.type === "session.close" ? last : undefined,
    rows: (keepsEvents) => readRows(reader, session_id, end, new Timeline(eventKinds, { keepsEvents, spans })),
  });
}

async function* readRows(
  reader: LogReader,
  session_id: SessionId,
  end: number,
  timeline: Timeline,
): AsyncGenerator<TimelineRow> {
  for await (const batch of reader.readBatches(session_id, { verify: false })) {
    if (!batch.ok) throw new CommandFailed(batch.error);
    for (const event of batch.value) {
      if (event.seq > end) break; // a writer has gone on since
      timeline.add(event);
      yield* timeline.settled();
    }
    if ((batch.value.at(-1)?.seq ?? 0) >= end) break;
  }
  yield* timeline.settled(true);
}
