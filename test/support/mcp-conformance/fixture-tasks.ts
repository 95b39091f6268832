import { domainError } from "../../../src/core/errors/index.ts";
import { err, ok, type Result } from "../../../src/core/values/index.ts";
import type { McpAnswer, McpContent, McpQuestion, McpTask } from "../../../src/surface/mcp/offer/mcp-answer.ts";
import type { McpTasks } from "../../../src/surface/mcp/offer/mcp-task.ts";

type Answers = Readonly<Record<string, unknown>>;
type Ask = (questions: Readonly<Record<string, McpQuestion>>) => Promise<Answers>;
type Work = (signal: AbortSignal, ask: Ask) => Promise<Result<McpContent>>;
type State =
  | { readonly status: "working" | "cancelled" }
  | { readonly status: "completed"; readonly result: Result<McpContent> }
  | { readonly status: "failed"; readonly error: { readonly code: number; readonly message: string } };

interface Entry {
  state: State;
  questions: Record<string, McpQuestion>;
  answers: Record<string, unknown>;
  readonly stop: AbortController;
  readonly createdAt: string;
  answered: () => void;
}

/** Tasks that live in memory, for the tools of the judge; those of Writ's own tools are its sessions. */
export class FixtureTasks implements McpTasks {
  readonly #tasks = new Map<string, Entry>();

  begin(work: Work): Result<McpAnswer> {
    const taskId = `fixture-${this.#tasks.size + 1}`;
    const entry: Entry = {
      state: { status: "working" },
      questions: {},
      answers: {},
      stop: new AbortController(),
      createdAt: new Date().toISOString(),
      answered: () => undefined,
    };
    this.#tasks.set(taskId, entry);
    const ask: Ask = (questions) => {
      entry.questions = { ...questions };
      return new Promise((resolve) => {
        entry.answered = () => resolve(entry.answers);
      });
    };
    const end = (state: State) => {
      if (entry.state.status === "working") entry.state = state;
    };
    work(entry.stop.signal, ask).then(
      (result) => end({ status: "completed", result }),
      (thrown: unknown) => end({ status: "failed", error: { code: -32_603, message: String(thrown) } }),
    );
    return ok({ kind: "task", task: this.#shown(taskId, entry) });
  }

  get(taskId: string): Promise<Result<McpTask>> {
    const entry = this.#tasks.get(taskId);
    return Promise.resolve(entry ? ok(this.#shown(taskId, entry)) : unknown(taskId));
  }

  update(taskId: string, answers: Answers): Promise<Result<void>> {
    const entry = this.#tasks.get(taskId);
    if (!entry) return Promise.resolve(unknown(taskId));
    for (const [name, answer] of Object.entries(answers)) {
      if (!Object.hasOwn(entry.questions, name)) continue;
      delete entry.questions[name];
      entry.answers[name] = answer;
    }
    if (Object.keys(entry.questions).length === 0) entry.answered();
    return Promise.resolve(ok(undefined));
  }

  cancel(taskId: string): Promise<Result<void>> {
    const entry = this.#tasks.get(taskId);
    if (!entry) return Promise.resolve(unknown(taskId));
    if (entry.state.status === "working") entry.state = { status: "cancelled" };
    entry.stop.abort();
    return Promise.resolve(ok(undefined));
  }

  #shown(taskId: string, { state, questions, createdAt }: Entry): McpTask {
    const base = { taskId, createdAt, lastUpdatedAt: createdAt, ttlMs: 3_600_000, pollIntervalMs: 100 };
    if (state.status === "working" && Object.keys(questions).length > 0)
      return { ...base, status: "input_required", questions: { ...questions } };
    return { ...base, ...state };
  }
}

function unknown(taskId: string): Result<never> {
  return err(domainError("NOT_FOUND", `there is no task ${taskId}`));
}
