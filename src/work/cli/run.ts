import { argument, type Command, flag, text, textOr, texts } from "#core/commands";
import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { EventKinds, LogReader } from "#log";
import { noticedKeys, selectProfile, type WritConfig } from "#workspace";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions, FlowRequest } from "../flow/flow.ts";
import type { AttachedFile, Attachment } from "../orders/attachments.ts";
import type { OrderInput } from "../orders/write-work-order.ts";
import { leftOutBeside, runStory } from "../story/run-story.ts";
import type { Threads } from "../threads/threads.ts";
import { exitOfResult } from "./exit-of-result.ts";
import type { ExplainParts } from "./explain-answer.ts";
import { type SessionVerifier, verifyResult } from "./verify-result.ts";

interface RunParts extends SessionVerifier, ExplainParts {
  readonly eventKinds: EventKinds;
  readonly root: string;
  readonly log: LogReader;
  readonly threads: Threads;
  readonly config: WritConfig;
  keepAttachments(files: readonly AttachedFile[]): Promise<Result<readonly Attachment[]>>;
  writeWorkOrder(prompt: string, wanted: OrderInput): Promise<Result<WorkOrder>>;
  runFlow(request: FlowRequest, options?: FlowOptions): Promise<FlowResult>;
}

interface RunOptions {
  readonly skill?: string;
  readonly profile?: string;
  readonly framework?: string;
  readonly input?: readonly string[];
  readonly allow?: readonly string[];
  readonly allowCode?: readonly string[];
  readonly tool?: readonly string[];
  readonly strategy?: string;
  readonly explain?: boolean;
  readonly continue?: string;
  readonly attach?: readonly string[];
}

export const run: Command<"runtime", RunParts, RunOptions> = {
  name: "run",
  summary: "carry out a request: Writ writes the work order, and one agent with tools does it",
  needs: "runtime",
  json: "session_id, work_order_id, status, output, verdict, tokens_used, duration_ms, error, did (what took effect), and refused_acts where there are any",
  arguments: [argument("prompt", "what you want, in your own words")],
  options: {
    skill: text("name", "the skill to use (default: the one whose triggers match)"),
    profile: text("name", "the profile of writ.yaml to use"),
    framework: text("id", "the framework to work under (default: FMWK-005)"),
    input: texts("name=value", "what the request is about: a parameter of the framework's prompts and attention paths"),
    allow: texts("glob", "paths that the request may write, besides the workspace's default"),
    allowCode: texts("glob", "code that runs, such as package.json or a workflow, that it may write too"),
    tool: texts("name", "tools that the request may use without being asked about, besides those of every request"),
    strategy: text(
      "type",
      "how it is carried out, such as plan-work-review (default: solo, unless its skill says otherwise)",
    ),
    attach: texts("file", "a picture, a PDF or a text that goes with the words"),
    continue: textOr("session", "go on after a session: its id, its short id, a thread, or last (the default)", "last"),
    explain: flag("show the work order and what it grants, and stop there"),
  },
  examples: [
    'writ run "greet Ada"',
    'writ run "summarize README.md" --json',
    'writ run "classify the new invoices" --framework FMWK-INVOICE',
    'writ run "which account?" --framework FMWK-INVOICE --input invoice=17.txt',
    'writ run "note that leases expire" --allow "notes/**"',
    'writ run "make the tests pass" --allow "src/**" --tool exec',
    'writ run "write the release notes" --strategy plan-work-review',
    'writ run "greet Ada" --explain',
    'writ run "and now the second chapter" --continue',
    'writ run "what is wrong in this picture?" --attach shot.png',
  ],
  exits: null,
  run: async (flows, invocation) => {
    const { context, json } = invocation;
    const [prompt = ""] = invocation.arguments;
    const { skill, profile, framework, input, allow, allowCode, tool, strategy, explain } = invocation.options;
    if (prompt.trim() === "")
      return err(domainError("MALFORMED_INPUT", "nothing was asked", { details: { hint: 'writ run "greet Ada"' } }));
    const parameters = parametersOf(input ?? []);
    if (!parameters.ok) return parameters;
    const attached = await attachedFiles(flows, invocation.options.attach ?? [], context.cwd);
    if (!attached.ok) return attached;
    const wanted = {
      ...(attached.value.length === 0 ? {} : { attachments: attached.value }),
      ...(input === undefined ? {} : { input: parameters.value }),
      ...(skill === undefined ? {} : { skill }),
      ...(profile === undefined ? {} : { profile }),
      ...(framework === undefined ? {} : { framework }),
      ...(allow === undefined ? {} : { allow }),
      ...(allowCode === undefined ? {} : { allowCode }),
      ...(tool === undefined ? {} : { tools: tool }),
      ...(strategy === undefined ? {} : { strategy }),
    };
    const order = await flows.writeWorkOrder(prompt, wanted);
    if (!order.ok) return order;
    if (explain) {
      const { explainAnswer } = await import("./explain-answer.ts");
      return explainAnswer(flows, { ...order.value }, "by Writ");
    }
    const inUse = selectProfile(flows.config, profile);
    if (!json && inUse.ok && inUse.value.provider === "scripted")
      for (const notice of noticedKeys(context.env)) context.stderr.write(`${notice}\n`);
    const story = json ? undefined : runStory(invocation, order.value, flows.eventKinds);
    const listeners = {
      signal: context.signal,
      interrupt: context.signal,
      ...(story?.listeners ?? leftOutBeside(context)),
    };
    const after = invocation.options.continue;
    const thread = after === undefined ? undefined : await (await import("./chat.ts")).threadAfter(flows, after);
    if (thread?.ok === false) return thread;
    const { work_order_id, created_at = "" } = order.value;
    const named = { work_order_id, created_at };
    const result = thread
      ? await thread.value.send(prompt, { ...listeners, wanted, order: named }).result
      : await flows.runFlow({ work_order: { ...order.value }, caller_id: flows.caller }, { ...listeners, fresh: true });
    if (story) story.end(result, await verifyResult(flows, result));
    return ok({
      json: {
        session_id: result.session_id,
        work_order_id: result.work_order_id,
        status: result.status,
        output: result.response,
        verdict: result.verdict ?? null,
        tokens_used: result.tokens_used,
        duration_ms: result.duration_ms,
        error: result.error === null ? null : { code: result.error_code, message: result.error },
        ...(result.did ? { did: result.did } : {}),
        ...(result.refused_acts ? { refused_acts: result.refused_acts } : {}),
        ...(thread ? { thread_id: thread.value.thread_id } : {}),
        ...(result.undone === undefined ? {} : { undone: result.undone }),
      },
      exit: exitOfResult(result, context.signal),
    });
  },
};

/** Files of the person at the machine, from where the command was typed. */
async function attachedFiles(
  { keepAttachments }: Pick<RunParts, "keepAttachments">,
  paths: readonly string[],
  cwd: string,
): Promise<Result<readonly Attachment[]>> {
  if (paths.length === 0) return ok([]);
  const { readAttached } = await import("./read-attached.ts");
  const files = await readAttached(paths, cwd);
  return files.ok ? keepAttachments(files.value) : files;
}

/** `invoice=17.txt`, each name once. The request itself is no parameter. */
function parametersOf(pairs: readonly string[]): Result<Readonly<Record<string, string>>> {
  const named = pairs.map((pair) => ({ pair, at: pair.indexOf("=") }));
  const parameters = new Map(named.map(({ pair, at }) => [pair.slice(0, at), pair.slice(at + 1)]));
  const bad = named.find(({ pair, at }) => at < 1 || pair.slice(0, at) === "prompt");
  if (!bad && parameters.size === pairs.length) return ok(Object.fromEntries(parameters));
  const what = bad ? `${JSON.stringify(bad.pair)} names no parameter` : "a parameter is named twice";
  return err(
    domainError("MALFORMED_INPUT", what, {
      details: { hint: "--input name=value, each name once; `prompt` is the request itself" },
    }),
  );
}
