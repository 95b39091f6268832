import type { Command } from "commander";
import { domainError, err, type JsonValue, ok, parseJson, type Result } from "#base";
import type { Runtime } from "#compose";
import type { Approval } from "#governance";
import type { Kernel } from "#kernel";
import { type Answer, act, type Invocation } from "../act.ts";
import type { CliContext } from "../context.ts";
import { numberOption } from "../number-option.ts";
import type { Screen } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { ago } from "../session/format.ts";
import { oneLine } from "../story/row.ts";
import { withCrew } from "../with-crew.ts";
import type { KernelOptions } from "../with-kernel.ts";
import { withRuntime } from "../with-runtime.ts";

interface InboxOptions extends KernelOptions {
  readonly all?: boolean;
  readonly limit?: string;
  readonly reason?: string;
  readonly hash?: string;
  readonly choice?: string;
  readonly result?: string;
}

export function register(program: Command, context: CliContext): void {
  const inbox = program
    .command("inbox")
    .description("everything that waits for a person")
    .addHelpText(
      "after",
      '\nExamples:\n  $ writ inbox\n  $ writ inbox show 77991da1\n  $ writ inbox approve 77991da1 --reason "he told me"\n',
    );
  inbox
    .command("list", { isDefault: true })
    .description("what waits, the newest first")
    .option("--all", "also what was decided or has expired")
    .option("--limit <n>", "at most so many", "50")
    .addHelpText("after", "\nExamples:\n  $ writ inbox\n  $ writ inbox list --all --json\n")
    .action(act<InboxOptions>(context, (invocation) => withCrew(invocation, (open) => list(open, invocation))));
  inbox
    .command("show")
    .addHelpText("after", "\nExample:\n  $ writ inbox show 4f2c\n")
    .description("one question, with the exact bytes that it is about; what hides or reorders is written out")
    .argument("<id>", "as `writ inbox` names it; its first characters suffice")
    .action(
      act<InboxOptions>(context, (invocation) => withRuntime(invocation, (runtime) => show(runtime, invocation))),
    );
  for (const [name, description] of [
    ["approve", "allow exactly what `writ inbox show` shows"],
    ["deny", "refuse it"],
  ] as const)
    inbox
      .command(name)
      .description(description)
      .argument("<id>", "as `writ inbox` names it; its first characters suffice")
      .option("--reason <text>", "why, for the record", "")
      .option("--hash <sha256>", "decide only if it is about these bytes")
      .option("--choice <word>", "where a question has other answers than yes and no: done, not_done")
      .option("--result <json>", "for a call in doubt that was done: what it answered")
      .addHelpText("after", `\nExample:\n  $ writ inbox ${name} 4f2c --reason "looked at the file"\n`)
      .action(
        act<InboxOptions>(context, (invocation) =>
          withRuntime(invocation, (runtime) => decide(runtime, invocation, name)),
        ),
      );
}

async function list(
  { runtime, kernel }: { readonly runtime: Runtime; readonly kernel: Kernel },
  invocation: Invocation<InboxOptions>,
): Promise<Result<Answer>> {
  const limit = numberOption("--limit", invocation.options.limit ?? "");
  if (!limit.ok) return limit;
  const collected = await runtime.decisions.collect();
  if (!collected.ok) return collected;
  const { BlockedWork } = await import("#compose");
  const blocked = await new BlockedWork(kernel, runtime.inbox).collect();
  if (!blocked.ok) return blocked;
  const found = await runtime.inbox.list({ limit: limit.value, state: invocation.options.all ? "all" : "open" });
  if (!found.ok) return found;
  const now = invocation.context.clock.now();
  return ok({ json: { approvals: found.value }, text: (screen) => describe(found.value, now, screen) });
}

function describe(approvals: readonly Approval[], now: number, screen: Screen): string {
  if (approvals.length === 0) return "Nothing waits for you.\n";
  const rows = approvals.map((each) => [
    screen.bold(shortApprovalId(each.approval_id)),
    each.state === "open" ? screen.yellow(isHalfSaid(each) ? `open, ${each.choice} was said` : "open") : each.state,
    ago(now - Date.parse(each.created_at)),
    each.kind.replaceAll("_", " "),
    oneLine(each.title),
    oneLine(each.author),
  ]);
  const half = approvals.some(isHalfSaid)
    ? "  a word that was said and not carried out is finished by repeating it: writ inbox show ID says how\n"
    : "";
  return `${table(screen, ["id", "state", "asked", "kind", "what", "on behalf of"], rows)}${half}${screen.dim("  writ inbox show ID shows the exact bytes")}\n`;
}

/** Whoever said it died before it was carried out: it stands, and does not count. */
function isHalfSaid({ state, choice }: Approval): boolean {
  return state === "open" && choice !== null;
}

async function show(runtime: Runtime, invocation: Invocation<InboxOptions>): Promise<Result<Answer>> {
  const collected = await runtime.decisions.collect();
  if (!collected.ok) return collected;
  const found = await resolve(runtime, invocation.arguments[0] ?? "");
  if (!found.ok) return found;
  return ok({ json: found.value, text: (screen) => detail(found.value, whoDecides(runtime, found.value), screen) });
}

/** Whoever asked may decide it only at this machine, and only where the workspace allows that. */
function whoDecides(runtime: Runtime, { author }: Approval): string {
  const mayDecide = runtime.config.approvals.self_approval === "local" && author === runtime.caller;
  return mayDecide ? "who may decide it at this machine, as approvals.self_approval says" : "who cannot approve it";
}

function detail(approval: Approval, whoDecides: string, screen: Screen): string {
  const { approval_id, state, title, reason, author, session_id, subject_hash, shown, hidden, choices } = approval;
  const lines = [
    `${screen.bold(oneLine(title))}  ${screen.dim(approval_id)}  ${state}`,
    `  why      ${oneLine(reason)}`,
    `  for      ${oneLine(author)}, ${whoDecides}`,
    ...(session_id === null ? [] : [`  session  ${session_id}`]),
    `  until    ${approval.expires_at}`,
    `  sha256   ${subject_hash}`,
    ...(hidden.length > 0
      ? [
          screen.red(
            `  ${hidden.length} characters would not have been seen, or seen as others; they are written out as ⟦…⟧`,
          ),
        ]
      : []),
    "",
    ...shown.split("\n").map((line) => `  ${line}`),
    "",
  ];
  if (state === "open") {
    const short = shortApprovalId(approval_id);
    const { choice: said, decided_by } = approval;
    if (said !== null)
      lines.push(
        `  ${oneLine(decided_by ?? "")} said ${said}, and that was not carried out to its end: repeat it to go on`,
      );
    const how = choices.includes("approve")
      ? ["approve", "deny"]
          .filter((verb) => said === null || said === verb)
          .map((verb) => `writ inbox ${verb} ${short}`)
      : choices
          .filter((choice) => said === null || said === choice)
          .map((choice) => `writ inbox approve ${short} --choice ${choice}`);
    lines.push(screen.dim(`  ${how.join("   ")}`));
  } else if (approval.decided_by !== null)
    lines.push(
      `  ${approval.choice} by ${oneLine(approval.decided_by)} at ${approval.decided_at}${approval.decision_reason ? `: ${oneLine(approval.decision_reason)}` : ""}`,
    );
  return `${lines.join("\n")}\n`;
}

async function decide(
  runtime: Runtime,
  invocation: Invocation<InboxOptions>,
  verb: "approve" | "deny",
): Promise<Result<Answer>> {
  const found = await resolve(runtime, invocation.arguments[0] ?? "");
  if (!found.ok) return found;
  const by = runtime.localCaller();
  if (!by.ok) return by;
  const result = resultOf(invocation.options.result);
  if (!result.ok) return result;
  const { approval_id, subject_hash, session_id, choices } = found.value;
  const { hash, reason = "", choice } = invocation.options;
  const decided = await runtime.decisions.decide(by.value, approval_id, {
    choice: choice ?? (choices.includes(verb) ? verb : (choices[verb === "approve" ? 0 : 1] ?? verb)),
    subject_hash: hash ?? subject_hash,
    reason,
    ...(result.value === undefined ? {} : { result: result.value }),
  });
  if (!decided.ok) return decided;
  const next = session_id === null ? "" : `  go on: writ session resume ${session_id}\n`;
  return ok({ json: decided.value, text: () => `${decided.value.choice}: ${oneLine(decided.value.title)}\n${next}` });
}

function resultOf(text: string | undefined): Result<JsonValue | undefined> {
  return text === undefined ? ok(undefined) : parseJson(text);
}

/** By its whole id, or by the first characters of it, as long as only one begins like that. */
async function resolve(runtime: Runtime, id: string): Promise<Result<Approval>> {
  const exact = await runtime.inbox.find(id);
  if (exact.ok || exact.error.code !== "NOT_FOUND") return exact;
  const all = await runtime.inbox.list({ limit: 1000 });
  if (!all.ok) return all;
  const [one, other] = all.value.filter((each) =>
    shortApprovalId(each.approval_id, 32).startsWith(id.replace(/^APR-/, "")),
  );
  if (!one || id === "") return exact;
  if (other)
    return err(
      domainError("AMBIGUOUS_ID", `more than one question begins with "${id}"; more of the id tells them apart`),
    );
  return ok(one);
}

function shortApprovalId(approval_id: string, length = 8): string {
  return approval_id.slice("APR-".length, "APR-".length + length);
}
