import { type PatchOperationV1, shippedRegistry } from "#core/contracts";
import {
  createIds,
  type JsonObject,
  ok,
  type PatchId,
  type RevisionId,
  type RunId,
  systemClock,
  systemRandom,
} from "#core/values";
import type { OpenKernel, Question, ThinkingApp, Thought } from "#runs";
import { createKernel, type Documents, type Kernel, type Lease } from "#runs";
import { fileDocuments } from "../../src/runs/kernel/store/files/documents.ts";
import { openSqliteKernel } from "../../src/runs/kernel/store/sqlite/open.ts";
import { runTimes } from "../../src/runs/run-times.ts";
import { configDefaults } from "../../src/workspace/config/defaults.ts";
import { must, workplace } from "./kernel-harness.ts";

/** A run of an app on a real kernel, one step at a time, so that a test decides what happens between and during turns. */
export class AppBench {
  readonly kernel: Kernel;
  readonly documents: Documents;
  /** Every question that reached the model; a repeated one does not. */
  readonly asked: Question[] = [];
  answers: (question: Question) => JsonObject | Promise<JsonObject> = () => ({});
  readonly #app: ThinkingApp;
  readonly #answered = new Map<string, Thought>();
  readonly #close: OpenKernel["close"];
  run_id = "" as RunId;

  constructor(app: ThinkingApp, open: OpenKernel = openScratch(workplace())) {
    this.#app = app;
    this.kernel = open.kernel;
    this.documents = open.documents;
    this.#close = open.close;
  }

  async start(objective: string): Promise<void> {
    const { app_id } = this.#app;
    this.run_id = must(await this.kernel.startRun({ app_id, objective, actor_id: "ada" })).run_id;
  }

  /** Lets the app take its turn; false when nobody asks it. */
  async turn(): Promise<boolean> {
    const claim = { app_ids: [this.#app.app_id], turn_owner: "conductor", turn_ms: 60_000, limit: 1 };
    const [claimed] = must(await this.kernel.claimTurns(claim));
    if (!claimed) return false;
    const view = must(await this.kernel.turnInput(claimed));
    const actions = await this.#app.turn(view.input, {
      run_id: this.run_id,
      read: this.kernel.read,
      documents: this.documents,
      failures: claimed.turn_failures,
      signal: new AbortController().signal,
      think: async (question) => {
        const known = this.#answered.get(question.key);
        if (known) return ok({ ...known, repeated: true });
        this.asked.push(question);
        const number = String(this.asked.length).padStart(3, "0");
        const answer = must(
          shippedRegistry().validate(question.output_schema as "outline_v1", await this.answers(question)),
        );
        const thought: Thought = {
          answer: answer as unknown as JsonObject,
          work_order_id: `WO-20261115-${number}`,
          session_id: `SES-${number}`,
          repeated: false,
        };
        this.#answered.set(question.key, thought);
        return ok(thought);
      },
    });
    must(await this.kernel.applyTurn(claimed, view.upToSeq, actions));
    return true;
  }

  /** Takes turns until nobody asks for one. */
  async settle(): Promise<void> {
    while (await this.turn());
  }

  async lease(capability: string, limit = 10): Promise<readonly Lease[]> {
    return must(
      await this.kernel.claimWork({ capabilities: [capability], lease_owner: "worker-1", lease_ms: 60_000, limit }),
    );
  }

  /** Fills the place that the app named, as the shared workers do. */
  async deliver(lease: Lease, body: string, result: JsonObject = {}): Promise<void> {
    const target = lease.input?.["target"] as JsonObject | undefined;
    const content = target?.["op"] === "file.write" ? { content: body } : { body };
    const patches = target ? [{ base_revision_id: null, ops: [{ ...target, ...content }] }] : [];
    must(await this.kernel.completeWork(lease, patches, result));
  }

  async fail(lease: Lease, reason: string): Promise<void> {
    must(await this.kernel.submit<"fail_work">({ kind: "fail_work", lease, reason }));
  }

  async propose(author_id: string, ops: readonly PatchOperationV1[], base: string | null = null): Promise<PatchId> {
    const submitted = await this.kernel.submitPatch({
      run_id: this.run_id,
      author_kind: "user",
      author_id,
      base_revision_id: base as RevisionId | null,
      ops: ops as unknown as JsonObject[],
    });
    return must(submitted).patch_id as PatchId;
  }

  async text(): Promise<string> {
    const run = must(await this.kernel.read.run(this.run_id));
    if (run.head_revision_id === null) return "";
    const revision = must(await this.kernel.read.revision(this.run_id, run.head_revision_id));
    return Buffer.from(must(await this.documents.get(revision.document_ref.sha256))).toString("utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

/** A kernel in a folder of its own, which goes when it is closed. */
export function openScratch(place: ReturnType<typeof workplace>): OpenKernel {
  const store = must(openSqliteKernel(place.file, { clock: systemClock }));
  const ids = createIds(systemClock, systemRandom);
  const kernel = createKernel({ store, clock: systemClock, ids, schemas: shippedRegistry(), defer: setImmediate });
  return {
    kernel,
    documents: fileDocuments(`${place.folder}/documents`, ids),
    postgres: undefined,
    times: runTimes(configDefaults),
    modules: () => Promise.reject(new Error("a scratch kernel has no modules")),
    close: async () => {
      await kernel.drain();
      await store.close();
      place.clear();
      return ok(undefined);
    },
  };
}
