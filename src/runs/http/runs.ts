import type { PatchSubmissionV1, RunChangeV1, RunRequestV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import type { SanitizeError } from "#core/routes";
import {
  arrayOf,
  type Call,
  integer,
  is,
  json,
  listOf,
  objectOf,
  pageSize,
  plainGet,
  type Reply,
  type Route,
  text,
} from "#core/routes";
import { type Clock, err, ok, type Result, type RunId } from "#core/values";
import { ending, resumeAfter, resuming, theEnd } from "#proof";
import { type WritConfig } from "#workspace";
import { requireApp } from "../find-apps.ts";
import type { Documents } from "../kernel/documents.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { followRun } from "./run-feed.ts";

const one = { status: 200, description: "The run.", schema: objectOf({ run: { $ref: "run_v1" } }) };
const whole = objectOf({
  run: { $ref: "run_v1" },
  work_items: arrayOf({ $ref: "work_item_v1" }),
  patches: arrayOf({ $ref: "patch_v1" }),
  revisions: arrayOf({ $ref: "revision_v1" }),
});
const pageAfter = { type: "string" as const, description: "The `next` of the page before." };

/** A document is named by its hash, so a client that has it gets 304. */
const bytes = {
  headers: { "If-None-Match": { description: "The `ETag` of what is there already.", pattern: "." } },
  answer: { status: 200, description: "Its bytes.", mediaType: "text/plain" },
  otherAnswers: [{ status: 304, description: "Nothing: you have it.", mediaType: null }],
};

const changes = {
  pause: "Hands out no more work of this run",
  continue: "Hands out work of this run again",
  cancel: "Closes the run as canceled, and its open work with it",
} as const;

export interface RunRouteParts {
  readonly kernel: Pick<Kernel, "read" | "ids" | "wakeUp" | "startRun" | "submitPatch" | "submit">;
  readonly documents: Pick<Documents, "get">;
  readonly config: WritConfig;
  readonly clock: Clock;
  readonly sanitizeError: SanitizeError;
}

interface ListOfRun {
  readonly name: string;
  readonly summary: string;
  readonly schema: string;
  /** The member of an item that is the cursor of a page. */
  readonly cursor: string;
  readonly read: (
    read: Kernel["read"],
    id: RunId,
    page: { readonly after?: string; readonly limit: number },
  ) => Promise<Result<readonly object[]>>;
}

function list({ name, summary, schema, cursor, read }: ListOfRun): Route<RunRouteParts> {
  return {
    ...plainGet,
    path: `/api/v1/runs/:run_id/${name}`,
    tag: "runs",
    summary,
    right: "read",
    query: { limit: pageSize, after: pageAfter },
    headers: {},
    answer: { status: 200, description: "A page.", schema: listOf(name.replace("-", "_"), { $ref: schema }) },
    otherAnswers: [],
    async handle({ kernel }, { params, query }) {
      const run = await kernel.read.run(runOf(params));
      if (!run.ok) return run;
      const after = text(query, "after");
      const limit = integer(query, "limit", 100);
      const found = await read(kernel.read, runOf(params), { limit, ...(after === undefined ? {} : { after }) });
      if (!found.ok) return found;
      const last = found.value.at(-1) as Readonly<Record<string, string>> | undefined;
      const next = found.value.length === limit ? (last?.[cursor] ?? null) : null;
      return ok(json({ [name.replace("-", "_")]: found.value, next }));
    },
  };
}

/** Runs: many work items towards one objective. */
export const runRoutes: readonly Route<RunRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/runs",
    tag: "runs",
    summary: "Runs, the newest first",
    right: "read",
    query: {
      limit: pageSize,
      after: pageAfter,
      status: { type: "string", description: "Only these.", enum: ["active", "closed"] },
    },
    headers: {},
    answer: { status: 200, description: "A page.", schema: listOf("runs", { $ref: "run_v1" }) },
    otherAnswers: [],
    async handle({ kernel }, { query }) {
      const limit = integer(query, "limit", 100);
      const status = text(query, "status") as "active" | "closed" | undefined;
      const before = text(query, "after");
      const found = await kernel.read.runs({ limit, ...(status ? { status } : {}), ...(before ? { before } : {}) });
      if (!found.ok) return found;
      const next = found.value.length === limit ? (found.value.at(-1)?.run_id ?? null) : null;
      return ok(json({ runs: found.value, next }));
    },
  },
  {
    method: "POST",
    path: "/api/v1/runs",
    tag: "runs",
    summary: "Opens a run for an app",
    right: "run.start",
    query: {},
    headers: {},
    body: "run_request_v1",
    answer: { ...one, status: 201 },
    otherAnswers: [],
    reserveId: async ({ kernel }) => ok(kernel.ids.runId()),
    isSecret: false,
    isProbe: false,
    async handle({ kernel, config }, { body, caller, reservedId }) {
      const { app_id, objective } = body as RunRequestV1;
      const known = requireApp(app_id, config);
      if (!known.ok) return known;
      const named = reservedId ? { run_id: reservedId.id as RunId } : {};
      const started = await kernel.startRun({ app_id, objective, actor_id: caller.id, ...named });
      return started.ok ? showRun(kernel, started.value.run_id, 201) : started;
    },
  },
  {
    ...plainGet,
    path: "/api/v1/runs/:run_id",
    tag: "runs",
    summary: "A run with its newest work items, patches and revisions",
    right: "read",
    query: {},
    headers: {},
    answer: { status: 200, description: "All of it.", schema: whole },
    otherAnswers: [],
    async handle({ kernel }, { params }) {
      const id = runOf(params);
      const run = await kernel.read.run(id);
      if (!run.ok) return run;
      const work_items = await kernel.read.workItems(id, { limit: 1000 });
      if (!work_items.ok) return work_items;
      const patches = await kernel.read.patches(id, { limit: 1000 });
      if (!patches.ok) return patches;
      const revisions = await kernel.read.revisions(id, { limit: 1000 });
      if (!revisions.ok) return revisions;
      return ok(
        json({
          run: run.value,
          work_items: work_items.value,
          patches: patches.value,
          revisions: revisions.value,
        }),
      );
    },
  },
  list({
    name: "work-items",
    summary: "The work items of a run",
    schema: "work_item_v1",
    cursor: "work_id",
    read: (read, id, page) => read.workItems(id, page),
  }),
  list({
    name: "patches",
    summary: "The patches of a run",
    schema: "patch_v1",
    cursor: "patch_id",
    read: (read, id, page) => read.patches(id, page),
  }),
  list({
    name: "revisions",
    summary: "The revisions of a run",
    schema: "revision_v1",
    cursor: "revision_id",
    read: (read, id, page) => read.revisions(id, page),
  }),
  {
    ...plainGet,
    path: "/api/v1/runs/:run_id/events",
    tag: "runs",
    summary: "The history of a run",
    right: "read",
    query: { limit: pageSize, after: { type: "integer", description: "Only what came later.", default: 0 } },
    headers: {},
    answer: { status: 200, description: "A page.", schema: listOf("events", { $ref: "event_log_v1" }) },
    otherAnswers: [],
    async handle({ kernel }, { params, query }) {
      const run = await kernel.read.run(runOf(params));
      if (!run.ok) return run;
      const limit = integer(query, "limit", 100);
      const found = await kernel.read.events(runOf(params), { after: integer(query, "after", 0), limit });
      if (!found.ok) return found;
      return ok(json({ events: found.value, next: found.value.length === limit ? found.value.at(-1)?.seq : null }));
    },
  },
  {
    ...plainGet,
    path: "/api/v1/runs/:run_id/stream",
    tag: "streams",
    summary: "The history of a run, past first, then as it grows",
    right: "read",
    query: { after: { type: "integer", description: "Resume after this number; `Last-Event-ID` does the same." } },
    headers: resuming,
    answer: {
      status: 200,
      description: `Server-sent events \`event\` (\`event_log_v1\`), whose \`id\` is the seq; ${theEnd}`,
      mediaType: "text/event-stream",
    },
    otherAnswers: [],
    async handle({ kernel, clock, sanitizeError }, call) {
      const after = resumeAfter(call);
      if (!after.ok) return after;
      const run = await kernel.read.run(runOf(call.params));
      if (!run.ok) return run;
      return ok({
        kind: "stream",
        frames: ending(
          followRun(kernel, runOf(call.params), { after: after.value, signal: call.signal, clock }),
          call.signal,
          sanitizeError,
        ),
      });
    },
  },
  ...(["pause", "continue", "cancel"] as const).map(
    (act): Route<RunRouteParts> => ({
      method: "POST",
      path: `/api/v1/runs/:run_id/${act}`,
      tag: "runs",
      summary: changes[act],
      right: `run.${act}`,
      query: {},
      headers: {},
      body: "run_change_v1",
      answer: one,
      otherAnswers: [],
      reserveId: null,
      isSecret: false,
      isProbe: false,
      async handle({ kernel }, { params, body, caller }) {
        const changed = await change(kernel, act, { run_id: runOf(params), actor_id: caller.id }, body as RunChangeV1);
        return changed.ok ? showRun(kernel, runOf(params), 200) : changed;
      },
    }),
  ),
  {
    method: "POST",
    path: "/api/v1/runs/:run_id/patches",
    tag: "runs",
    summary: "Hands a change to the app of a run, which decides whether it is taken",
    right: "run.patch",
    query: {},
    headers: {},
    body: "patch_submission_v1",
    answer: {
      status: 201,
      description: "It is on disk.",
      schema: objectOf({ patch_id: is.text, repeated: is.flag }),
    },
    otherAnswers: [],
    reserveId: async ({ kernel }) => ok(kernel.ids.patchId()),
    isSecret: false,
    isProbe: false,
    async handle({ kernel }, { params, body, caller, reservedId }) {
      const { base_revision_id, ops } = body as PatchSubmissionV1;
      const submitted = await kernel.submitPatch({
        run_id: runOf(params),
        author_kind: "user",
        author_id: caller.id,
        base_revision_id: base_revision_id as never,
        ops: ops as never,
        ...(reservedId ? { patch_id: reservedId.id as never } : {}),
      });
      return submitted.ok ? ok(json(submitted.value, 201)) : submitted;
    },
  },
  {
    ...plainGet,
    path: "/api/v1/runs/:run_id/revisions/:revision_id/document",
    tag: "documents",
    summary: "The document of a revision, as text",
    right: "read",
    query: {},
    ...bytes,
    async handle({ kernel, documents }, { params }) {
      const revision = await kernel.read.revision(runOf(params), params["revision_id"] ?? "");
      return revision.ok ? document(documents, hashOf(revision.value.document_ref)) : revision;
    },
  },
  {
    ...plainGet,
    path: "/api/v1/documents/:sha256",
    tag: "documents",
    summary: "A document by the hash of its content",
    right: "read",
    query: {},
    ...bytes,
    handle: ({ documents }, { params }) => document(documents, params["sha256"] ?? ""),
  },
];

function change(
  kernel: Pick<Kernel, "submit">,
  act: keyof typeof changes,
  { run_id, actor_id }: { readonly run_id: RunId; readonly actor_id: string },
  { message }: RunChangeV1,
): Promise<Result<unknown>> {
  switch (act) {
    case "pause":
      return kernel.submit<"pause_run">({ kind: "pause_run", run_id, actor_id });
    case "continue":
      return kernel.submit<"continue_run">({ kind: "continue_run", run_id, actor_id });
    case "cancel":
      return kernel.submit<"cancel_run">({
        kind: "cancel_run",
        run_id,
        actor_id,
        ...(message === undefined ? {} : { message }),
      });
  }
}

async function showRun(kernel: Pick<Kernel, "read">, id: RunId, status: number): Promise<Result<Reply>> {
  const run = await kernel.read.run(id);
  return run.ok ? ok(json({ run: run.value }, status)) : run;
}

/** Sent as plain text whatever it contains, because models write documents. */
async function document(documents: RunRouteParts["documents"], hash: string): Promise<Result<Reply>> {
  if (!/^[0-9a-f]{64}$/.test(hash)) return err(domainError("MALFORMED_INPUT", "a document is named by its SHA-256"));
  const found = await documents.get(hash);
  if (!found.ok) return found;
  const headers = { "content-type": "text/plain; charset=utf-8", etag: `"${hash}"` };
  return ok({ kind: "bytes", body: found.value, headers });
}

function hashOf(ref: unknown): string {
  const text = typeof ref === "string" ? ref : JSON.stringify(ref);
  return /[0-9a-f]{64}/.exec(text)?.[0] ?? "";
}

export function runOf(params: Call["params"]): RunId {
  return (params["run_id"] ?? "") as RunId;
}
