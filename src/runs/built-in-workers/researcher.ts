import type { ResearchNoteV1 } from "#core/contracts";
import { type JsonObject, parseJson } from "#core/values";
import type { Lease } from "../kernel/records.ts";
import type { WorkHandler, WorkOutcome } from "../kernel/run-worker.ts";
import { type Attempted, attemptOrder } from "./attempt-order.ts";
import { fillTarget, headingOf, levelOf } from "./fill-target.ts";
import { orderOfWork } from "./order-of-work.ts";
import type { WorkerPorts } from "./ports.ts";
import { renderNote } from "./render-note.ts";
import { readWorkInput, type WorkInput } from "./work-input.ts";
import { factsOf, unsuccessful } from "./work-outcome.ts";

const looking = ["sources.search", "fs.read", "fs.list", "fs.search"];

/** Answers a question from files, registries and MCP servers, with a citation for each finding. */
export function researcher(ports: WorkerPorts): WorkHandler {
  return async (lease, { signal }) => {
    const input = readWorkInput(lease);
    if (!input.ok) return { status: "failed", reason: input.error.message, code: input.error.code };
    const order = orderOfWork(lease, {
      type: "research",
      input: inputOf(lease, input.value),
      tools: [...looking, ...ports.readOnlyTools()],
      prompt_contract_id: "PRC-RESEARCH-001",
      io_schema: { output_schema: "research_note_v1" },
    });
    const attempted = await attemptOrder(ports, lease, order, signal);
    if (attempted.result.status !== "success") return unsuccessful(attempted);
    return outcomeOf(lease, input.value, attempted);
  };
}

function inputOf(lease: Lease, input: WorkInput): JsonObject {
  const { question, about, notes, document, sources, max_findings } = input;
  return {
    prompt: lease.objective,
    question,
    ...(about === undefined ? {} : { about }),
    ...(notes === undefined ? {} : { notes }),
    ...(document === undefined ? {} : { document }),
    ...(sources.length === 0 ? {} : { sources: [...sources] }),
    ...(max_findings === undefined ? {} : { max_findings }),
  };
}

function outcomeOf(lease: Lease, input: WorkInput, attempted: Attempted): WorkOutcome {
  const note = parseJson(attempted.result.response ?? "");
  if (!note.ok) return { status: "failed", reason: note.error.message, code: note.error.code };
  const found = note.value as unknown as ResearchNoteV1; // the flow has held it to its schema and to what its session read
  const result: JsonObject = {
    ...factsOf(attempted),
    summary: found.summary,
    citations: found.citations.map((citation) => ({ ...citation })),
  };
  if (input.target === undefined)
    return {
      status: "completed",
      result: { ...result, note: { summary: found.summary, findings: found.findings } },
    };
  const body = renderNote(found, {
    prefix: lease.work_id.slice(-6).toLowerCase(),
    level: levelOf(input.target),
    heading: headingOf(input.target),
  });
  const op = fillTarget(input.target, body);
  if (!op.ok) return { status: "failed", reason: op.error.message, code: op.error.code };
  return { status: "completed", result, patches: [{ base_revision_id: input.base_revision_id, ops: [op.value] }] };
}
