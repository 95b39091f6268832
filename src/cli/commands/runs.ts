import type { Command } from "commander";
import { domainError, err, ok, type Result, type RunId } from "#base";
import type { OpenKernel } from "#compose";
import type { Kernel } from "#kernel";
import type { EventLogV1, RunV1 } from "#schemas";
import { type Answer, act, type Invocation } from "../act.ts";
import type { CliContext } from "../context.ts";
import type { Screen } from "../output/screen.ts";
import { type KernelOptions, storeOption, withKernel } from "../with-kernel.ts";

interface RunsOptions extends KernelOptions {
  readonly app?: string;
  readonly objective?: string;
  readonly actor?: string;
  readonly wait?: boolean;
  readonly status?: string;
  readonly limit?: string;
  readonly after?: string;
  readonly message?: string;
  readonly closedFor?: string;
}

export function register(program: Command, context: CliContext): void {
  const runs = program.command("runs").description("runs: many work items towards one objective, decided by an app");
  const add = (
    name: string,
    description: string,
    work: (open: OpenKernel, invocation: Invocation<RunsOptions>) => Promise<Result<Answer>>,
  ): Command =>
    runs
      .command(name)
      .description(description)
      .option(...storeOption)
      .action(act<RunsOptions>(context, (invocation) => withKernel(invocation, (open) => work(open, invocation))));

  add("start", "open a run for an app", start)
    .requiredOption("--app <id>", "the app that decides")
    .requiredOption("--objective <text>", "what the run is for")
    .option("--actor <id>", "in whose name", "user")
    .option("--wait", "wait until the run is closed");
  add("list", "runs, newest first", list)
    .option("--status <status>", "active or closed")
    .option("--limit <n>", "at most so many", "50");
  add("show <run>", "a run with its work items, patches and revisions", ({ kernel }, call) =>
    show(kernel, runOf(call)),
  );
  add("events <run>", "the history of a run", ({ kernel }, call) => events(kernel, runOf(call), call.options)).option(
    "--after <seq>",
    "only what came later",
    "0",
  );
  add("watch <run>", "the history of a run as it grows, until it is closed", ({ kernel }, call) => watch(kernel, call));
  add("pause <run>", "hand out no more work of this run", ({ kernel }, call) =>
    change(kernel, call, "pause_run"),
  ).option("--actor <id>", "in whose name", "user");
  add("continue <run>", "hand out work of this run again", ({ kernel }, call) =>
    change(kernel, call, "continue_run"),
  ).option("--actor <id>", "in whose name", "user");
  add("cancel <run>", "close the run as canceled; open work is canceled with it", ({ kernel }, call) =>
    change(kernel, call, "cancel_run"),
  )
    .option("--actor <id>", "in whose name", "user")
    .option("--message <text>", "why");
  add("archive", "move the records of runs that closed long ago into documents", archive)
    .option("--closed-for <days>", "how long ago", "30")
    .option("--limit <n>", "at most so many", "100");
}

async function start({ kernel }: OpenKernel, { options, context }: Invocation<RunsOptions>): Promise<Result<Answer>> {
  const { app = "", objective = "", actor = "user" } = options;
  const started = await kernel.startRun({ app_id: app, objective, actor_id: actor });
  if (!started.ok) return started;
  if (options.wait) await untilClosed(kernel, started.value.run_id, context.signal);
  return answerRun(kernel, started.value.run_id);
}

async function list({ kernel }: OpenKernel, { options }: Invocation<RunsOptions>): Promise<Result<Answer>> {
  const { status } = options;
  if (status !== undefined && status !== "active" && status !== "closed")
    return err(domainError("MALFORMED_INPUT", `"${status}" is no status of a run: it is active or closed`));
  const found = await kernel.read.runs({ limit: Number(options.limit), ...(status === undefined ? {} : { status }) });
  if (!found.ok) return found;
  const { table } = await import("../output/table.ts");
  const row = (run: RunV1): string[] => [run.run_id, run.app_id, state(run), run.updated_at, run.objective];
  return ok({
    json: { runs: found.value },
    text: (screen) =>
      found.value.length === 0
        ? "No runs.\n"
        : table(screen, ["run", "app", "status", "changed", "objective"], found.value.map(row)),
  });
}

async function show(kernel: Kernel, runId: RunId): Promise<Result<Answer>> {
  const run = await kernel.read.run(runId);
  if (!run.ok) return run;
  const work_items = await kernel.read.workItems(runId);
  if (!work_items.ok) return work_items;
  const patches = await kernel.read.patches(runId);
  if (!patches.ok) return patches;
  const revisions = await kernel.read.revisions(runId);
  if (!revisions.ok) return revisions;
  const { table } = await import("../output/table.ts");
  return ok({
    json: { run: run.value, work_items: work_items.value, patches: patches.value, revisions: revisions.value },
    text: (screen) =>
      describe(run.value, screen) +
      table(
        screen,
        ["work", "capability", "status", "objective"],
        work_items.value.map((item) => [item.work_id, item.capability, item.status, item.objective]),
      ) +
      `${patches.value.length} patches, ${revisions.value.length} revisions\n`,
  });
}

async function events(kernel: Kernel, runId: RunId, options: RunsOptions): Promise<Result<Answer>> {
  const found = await kernel.read.events(runId, { after: Number(options.after), limit: 100_000 });
  if (!found.ok) return found;
  return ok({ json: { events: found.value }, text: () => found.value.map(line).join("") });
}

/** Prints each event as it comes: a line of JSON for programs, a line of words for people. */
async function watch(kernel: Kernel, invocation: Invocation<RunsOptions>): Promise<Result<Answer>> {
  const { context, json } = invocation;
  const runId = runOf(invocation);
  const listener = kernel.wakeUp.listen([`run:${runId}`]);
  for (let after = 0; ; ) {
    const run = await kernel.read.run(runId);
    if (!run.ok) return run;
    const found = await kernel.read.events(runId, { after, limit: 1_000 });
    if (!found.ok) return found;
    for (const event of found.value) context.stdout.write(json ? `${JSON.stringify(event)}\n` : line(event));
    after = found.value.at(-1)?.seq ?? after;
    if (found.value.length > 0) continue;
    if (run.value.status === "closed" || context.signal.aborted) break;
    await listener.wait(100, context.signal); // other processes ring no bell here
  }
  listener.close();
  return ok({});
}

async function change(
  kernel: Kernel,
  invocation: Invocation<RunsOptions>,
  kind: "pause_run" | "continue_run" | "cancel_run",
): Promise<Result<Answer>> {
  const { actor = "user", message } = invocation.options;
  const common = { run_id: runOf(invocation), actor_id: actor };
  const changed =
    kind === "cancel_run"
      ? await kernel.submit<"cancel_run">({ kind, ...common, ...(message === undefined ? {} : { message }) })
      : kind === "pause_run"
        ? await kernel.submit<"pause_run">({ kind, ...common })
        : await kernel.submit<"continue_run">({ kind, ...common });
  return changed.ok ? answerRun(kernel, common.run_id) : changed;
}

async function archive(
  { kernel, documents }: OpenKernel,
  { options }: Invocation<RunsOptions>,
): Promise<Result<Answer>> {
  const { archiveClosedRuns } = await import("#kernel");
  const closedForMs = Number(options.closedFor) * 86_400_000;
  const archived = await archiveClosedRuns(kernel, documents, { closedForMs, limit: Number(options.limit) });
  if (!archived.ok) return archived;
  const lines = archived.value.map((each) => `${each.run_id} ${each.archive_ref}\n`).join("");
  return ok({ json: { archived: archived.value }, text: () => `${lines}${archived.value.length} archived\n` });
}

async function untilClosed(kernel: Kernel, runId: RunId, signal: AbortSignal): Promise<void> {
  const listener = kernel.wakeUp.listen([`run:${runId}`]);
  while (!signal.aborted) {
    const run = await kernel.read.run(runId);
    if (!run.ok || run.value.status === "closed") break;
    await listener.wait(100, signal);
  }
  listener.close();
}

async function answerRun(kernel: Kernel, runId: RunId): Promise<Result<Answer>> {
  const run = await kernel.read.run(runId);
  if (!run.ok) return run;
  return ok({ json: { run: run.value }, text: (screen) => describe(run.value, screen) });
}

function runOf({ arguments: [run = ""] }: Invocation<RunsOptions>): RunId {
  return run as RunId;
}

function state(run: RunV1): string {
  if (run.status === "closed") return String(run.close_reason);
  return run.paused ? "paused" : "active";
}

function describe(run: RunV1, screen: Screen): string {
  const why = run.close_message === undefined ? "" : `  ${run.close_message}\n`;
  return `${screen.bold(run.run_id)} ${state(run)}  ${run.objective}\n${why}`;
}

function line({ seq, created_at, event_type, actor_id, payload }: EventLogV1): string {
  const about = ["work_id", "patch_id", "revision_id", "reason"].flatMap((name) =>
    typeof payload[name] === "string" ? [payload[name]] : [],
  );
  return `${String(seq).padStart(6)}  ${created_at}  ${event_type.padEnd(22)} ${actor_id}  ${about.join(" ")}\n`;
}
