import type { Command } from "commander";
import { type ErrorCode, errorCodes, ok, type Result } from "#base";
import type { Runtime, TurnDesk } from "#compose";
import type { TurnResultV1 } from "#schemas";
import type { Quarantined } from "#turns";
import { type Answer, act, type Invocation } from "../act.ts";
import type { CliContext } from "../context.ts";
import { type ExitStatus, exitStatus, statusOfAbort } from "../exit-status.ts";
import type { Screen } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { withRuntime } from "../with-runtime.ts";

export function register(program: Command, context: CliContext): void {
  const turn = program
    .command("turn")
    .description("programs that can only do what they declared")
    .addHelpText("after", "\nExamples:\n  $ writ turn exec turn.yaml\n  $ writ turn quarantine list\n");
  turn
    .command("exec")
    .description("run one turn from a JSON or YAML file: its outputs land whole, or nothing does")
    .argument("<file>", "the turn")
    .option("--dev", "let the turn bring its own capabilities: local only, visible in every record")
    .addHelpText("after", "\nExample:\n  $ writ turn exec turn.json --dev --json\n")
    .action(
      act<{ dev?: boolean }>(context, (invocation) =>
        withDesk(invocation, async (_, runtime) => {
          const { readDocument } = await import("../read-document.ts");
          const document = await readDocument(invocation.arguments[0] ?? "", context);
          if (!document.ok) return document;
          const result = await runtime.execTurn(document.value, {
            dev: invocation.options.dev ?? false,
            signal: context.signal,
          });
          return ok({
            json: result,
            text: (screen) => describeResult(result, screen),
            exit: exitOf(result, context.signal),
          });
        }),
      ),
    );
  const quarantine = turn
    .command("quarantine")
    .description("what turns wrote against their word")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ turn quarantine list\n  $ writ turn quarantine show TRN-…\n  $ writ turn quarantine release TRN-…\n",
    );
  quarantine
    .command("list")
    .description("every turn in quarantine")
    .addHelpText("after", "\nExample:\n  $ writ turn quarantine list --json\n")
    .action(
      act(context, (invocation) =>
        withDesk(invocation, async (desk) => {
          const turns = desk.quarantined();
          return ok({ json: { turns: turns.map(summary) }, text: (screen) => describeList(turns, screen) });
        }),
      ),
    );
  const one = (
    name: string,
    description: string,
    work: (desk: TurnDesk, id: string) => Promise<Result<Quarantined>>,
    done: string,
  ) =>
    quarantine
      .command(name)
      .description(description)
      .argument("<turn>", "the turn's id, from `writ turn quarantine list`")
      .addHelpText("after", `\nExample:\n  $ writ turn quarantine ${name} TRN-…\n`)
      .action(
        act(context, (invocation) =>
          withDesk(invocation, async (desk) => {
            const found = await work(desk, invocation.arguments[0] ?? "");
            if (!found.ok) return found;
            return ok({ json: found.value, text: (screen) => describeOne(found.value, done, screen) });
          }),
        ),
      );
  one("show", "what one turn wrote, and why it was refused", async (desk, id) => desk.showQuarantined(id), "");
  one("release", "let its writes into the workspace after all", (desk, id) => desk.release(id), "released");
  one("drop", "throw its writes away", (desk, id) => desk.drop(id), "dropped");
}

function withDesk<Options>(
  invocation: Invocation<Options>,
  work: (desk: TurnDesk, runtime: Runtime) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  return withRuntime(invocation, async (runtime) => {
    const desk = await runtime.turnDesk();
    if (!desk.ok) return desk;
    for (const each of desk.value.recovered)
      if (each.outcome !== "nothing")
        invocation.context.stderr.write(`writ: the turn ${each.turn_id} of a process that died was ${each.outcome}\n`);
    return work(desk.value, runtime);
  });
}

function exitOf(result: TurnResultV1, signal: AbortSignal): ExitStatus {
  if (result.status === "ok") return exitStatus.done;
  if (signal.aborted) return statusOfAbort(signal);
  const code = result.error?.code ?? "INTERNAL";
  const kind = Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode].kind : "internal";
  // A turn file that is not one is wrong usage, whichever check found it.
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

/** What a turn printed or named is shown, never obeyed: control characters would speak to the person's terminal. */
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

function describeOne(about: Quarantined, done: string, screen: Screen): string {
  const head = done
    ? `${screen.green(screen.sign.ok)} ${about.turn_id} ${done}`
    : `${screen.bold(about.turn_id)}  ${about.at}  ${about.package_id}`;
  const writes = about.writes.map(
    (write) => `  ${write.kind.padEnd(8)} ${visible(write.path)}${write.kind === "refused" ? ` (${write.why})` : ""}`,
  );
  return `${[head, `  ${about.code}: ${visible(about.message)}`, ...writes].join("\n")}\n`;
}
