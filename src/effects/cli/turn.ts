import type { Answer, Invocation } from "#core/commands";
import {
  argument,
  type Command,
  type CommandGroup,
  type ExitStatus,
  exitStatus,
  flag,
  statusOfAbort,
  texts,
} from "#core/commands";
import type { TurnResultV1 } from "#core/contracts";
import { type ErrorCode, errorCodes } from "#core/errors";
import type { Screen } from "#core/terminal";
import { table } from "#core/terminal";
import { ok, type Result } from "#core/values";
import type { TurnExplanation } from "../turns/explain-turn.ts";
import type { Quarantined } from "../turns/quarantine/quarantine.ts";
import type { QuarantinedCode } from "../turns/quarantine/quarantined-code.ts";
import type { TurnService } from "../turns/turn-service.ts";

interface TurnParts {
  turnService(): Promise<Result<TurnService>>;
}

interface ExecParts extends TurnParts {
  execTurn(document: unknown, how: { readonly dev: boolean; readonly signal?: AbortSignal }): Promise<TurnResultV1>;
}

interface ExecOptions {
  readonly dev?: boolean;
}

const exec: Command<"runtime", ExecParts, ExecOptions> = {
  name: "exec",
  summary: "run one turn from a JSON or YAML file: its outputs land whole, or nothing does",
  needs: "runtime",
  json: "turn_result_v1",
  arguments: [argument("file", "the turn")],
  options: { dev: flag("let the turn bring its own capabilities: local only, visible in every record") },
  examples: ["writ turn exec turn.json --dev --json"],
  exits: null,
  run: (turns, invocation) =>
    withService(turns, invocation, async () => {
      const { context, options } = invocation;
      const { readDocument } = await import("../../core/machine/read-document.ts");
      const document = await readDocument(invocation.arguments[0] ?? "", context);
      if (!document.ok) return document;
      const result = await turns.execTurn(document.value, { dev: options.dev ?? false, signal: context.signal });
      return ok({
        json: result,
        text: (screen) => describeResult(result, screen),
        exit: exitOf(result, context.signal),
      });
    }),
};

interface ExplainParts {
  explainTurn(document: unknown, how: { readonly dev: boolean }): Promise<Result<TurnExplanation>>;
}

const explain: Command<"runtime", ExplainParts, ExecOptions> = {
  name: "explain",
  summary: "what a turn would be allowed, and by which rule; nothing runs",
  needs: "runtime",
  json: "allowed, decisions with operation, subject, allowed and rule, and error with code and message, or null",
  arguments: [argument("file", "the turn")],
  options: { dev: flag("judge it by the capabilities that it brings along") },
  examples: ["writ turn explain turn.json --dev"],
  exits: { 3: "it would be refused" },
  run: async (turns, { arguments: [file = ""], options, context }) => {
    const { readDocument } = await import("../../core/machine/read-document.ts");
    const document = await readDocument(file, context);
    if (!document.ok) return document;
    const explained = await turns.explainTurn(document.value, { dev: options.dev ?? false });
    if (!explained.ok) return explained;
    const { decisions, error } = explained.value;
    const said = error && { code: error.code, message: error.message };
    return ok({
      json: { allowed: error === null, decisions, error: said },
      text: (screen) => describeExplanation(explained.value, screen),
      exit: error === null ? exitStatus.done : exitStatus.refused,
    });
  },
};

function describeExplanation({ decisions, error }: TurnExplanation, screen: Screen): string {
  const rows = decisions.map(({ operation, subject, allowed, rule }) => [
    allowed ? screen.green(screen.sign.ok) : screen.red(screen.sign.bad),
    operation,
    visible(subject),
    visible(rule ?? ""),
  ]);
  const end =
    error === null
      ? `${screen.green(screen.sign.ok)} it would begin\n`
      : `${screen.red(screen.sign.bad)} ${error.code}: ${visible(error.message)}\n`;
  return `${rows.length === 0 ? "" : table(screen, ["", "would", "what", "by"], rows)}${end}`;
}

const list: Command<"runtime", TurnParts> = {
  name: "list",
  summary: "every turn in quarantine",
  needs: "runtime",
  json: "turns with turn_id, session_id, package_id, at, code, message, bytes and writes",
  arguments: [],
  options: {},
  examples: ["writ turn quarantine list --json"],
  exits: null,
  run: (turns, invocation) =>
    withService(turns, invocation, async (service) => {
      const held = service.quarantined();
      return ok({ json: { turns: held.map(summary) }, text: (screen) => describeList(held, screen) });
    }),
};

interface Decision {
  readonly name: string;
  readonly summary: string;
  /** Past participle for the printed line; empty for a command that only shows. */
  readonly done: string;
  readonly work: (service: TurnService, id: string, allowCode: readonly string[]) => Promise<Result<Quarantined>>;
}

interface ReleaseOptions {
  readonly allowCode?: readonly string[];
}

type NoOptions = Readonly<Record<string, never>>;

function aboutOne<O extends object = NoOptions>(
  { name, summary: what, done, work }: Decision,
  options: Command<"runtime", TurnParts, O>["options"],
  codeOf: (options: O) => readonly string[] = () => [],
): Command<"runtime", TurnParts, O> {
  return {
    name,
    summary: what,
    needs: "runtime",
    json: "what is known of the turn and its writes",
    arguments: [argument("turn", "the turn's id, from `writ turn quarantine list`")],
    options,
    examples: [`writ turn quarantine ${name} TRN-…`],
    exits: null,
    run: (turns, invocation) =>
      withService(turns, invocation, async (service) => {
        const found = await work(service, invocation.arguments[0] ?? "", codeOf(invocation.options));
        if (!found.ok) return found;
        const code = service.codeAmong(found.value);
        return ok({
          json: { ...found.value, code_that_runs: code },
          text: (screen) => describeOne(found.value, { done, code }, screen),
        });
      }),
  };
}

const show = aboutOne(
  {
    name: "show",
    summary: "what one turn wrote, and why it was refused",
    done: "",
    work: async (service, id) => service.showQuarantined(id),
  },
  {},
);

const release: Command<"runtime", TurnParts, ReleaseOptions> = aboutOne<ReleaseOptions>(
  {
    name: "release",
    summary: "let its writes into the workspace after all",
    done: "released",
    work: (service, id, allowCode) => service.release(id, undefined, allowCode),
  },
  { allowCode: texts("glob", "code that runs, such as package.json or a workflow, which its order did not name") },
  ({ allowCode }) => allowCode ?? [],
);

const drop = aboutOne(
  { name: "drop", summary: "throw its writes away", done: "dropped", work: (service, id) => service.drop(id) },
  {},
);

const quarantine: CommandGroup<typeof list | Command<"runtime", TurnParts, ReleaseOptions>> = {
  name: "quarantine",
  summary: "what turns wrote against their word",
  examples: ["writ turn quarantine list", "writ turn quarantine show TRN-…", "writ turn quarantine release TRN-…"],
  members: [list, show, release, drop],
};

export const turn: CommandGroup<typeof exec | typeof explain | typeof quarantine> = {
  name: "turn",
  summary: "programs that can only do what they declared",
  examples: ["writ turn exec turn.yaml", "writ turn explain turn.yaml", "writ turn quarantine list"],
  members: [exec, explain, quarantine],
};

async function withService(
  turns: TurnParts,
  { context }: Invocation<object>,
  work: (service: TurnService) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  const service = await turns.turnService();
  if (!service.ok) return service;
  for (const each of service.value.recovered)
    if (each.outcome !== "nothing")
      context.stderr.write(`writ: the turn ${each.turn_id} of a process that died was ${each.outcome}\n`);
  return work(service.value);
}

function exitOf(result: TurnResultV1, signal: AbortSignal): ExitStatus {
  if (result.status === "ok") return exitStatus.done;
  if (signal.aborted) return statusOfAbort(signal);
  const code = result.error?.code ?? "INTERNAL";
  const kind = Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode].kind : "internal";
  // A turn file that is not valid is wrong usage, whichever check found it.
  if (kind === "input" || kind === "schema") return exitStatus.usage;
  return kind === "gate" ? exitStatus.refused : exitStatus.failed;
}

function describeResult(result: TurnResultV1, screen: Screen): string {
  const lines: string[] = [];
  const printed = result.result as { stdout?: unknown } | null;
  if (printed && typeof printed.stdout === "string" && printed.stdout !== "")
    lines.push(visible(printed.stdout.trimEnd()));
  for (const { operation, subject, allowed, rule } of result.evidence.capabilities ?? [])
    if (operation === "network" && !allowed)
      lines.push(
        `${screen.yellow(screen.sign.warn)} no network to ${visible(subject)}: ${visible(rule ?? "it is not granted")}`,
      );
  if (result.status === "ok") {
    for (const { path, change } of result.evidence.outputs ?? [])
      if (change !== "folder") lines.push(`${screen.green(screen.sign.ok)} ${visible(path)} (${change})`);
    lines.push(`${screen.green(screen.sign.ok)} committed`);
  } else {
    lines.push(`${screen.red(screen.sign.bad)} ${result.error?.code}: ${visible(result.error?.message ?? "")}`);
    if (result.evidence.quarantine_id) lines.push(`  writ turn quarantine show ${result.evidence.quarantine_id}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Replaces control characters in texts and names of a turn: a terminal would act on them. */
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (char) =>
    char === "\n" || char === "\t" ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

function summary({ turn_id, session_id, package_id, at, code, message, bytes, writes }: Quarantined): object {
  return { turn_id, session_id, package_id, at, code, message, bytes, writes: writes.length };
}

function describeList(turns: readonly Quarantined[], screen: Screen): string {
  if (turns.length === 0) return "nothing is in quarantine\n";
  const rows = turns.map((each) => [
    screen.bold(each.turn_id),
    each.at,
    each.package_id,
    each.code,
    String(each.writes.length),
    String(each.bytes),
  ]);
  return table(screen, ["turn", "at", "package", "refused for", "writes", "bytes"], rows);
}

function describeOne(
  about: Quarantined,
  { done, code }: { readonly done: string; readonly code: readonly QuarantinedCode[] },
  screen: Screen,
): string {
  const head = done
    ? `${screen.green(screen.sign.ok)} ${about.turn_id} ${done}`
    : `${screen.bold(about.turn_id)}  ${about.at}  ${about.package_id}`;
  const whyCode = new Map(code.map(({ path, why }) => [path, `: code that runs (${why})`]));
  const writes = about.writes.map(
    (write) =>
      `  ${write.kind.padEnd(8)} ${visible(write.path)}${write.kind === "refused" ? ` (${write.why})` : (whyCode.get(write.path) ?? "")}`,
  );
  return `${[head, `  ${about.code}: ${visible(about.message)}`, ...writes].join("\n")}\n`;
}
