import {
  argument,
  type CliContext,
  type Command,
  type CommandGroup,
  flag,
  numberOption,
  repeatedText,
  text,
} from "#core/commands";
import { type DomainError, domainError } from "#core/errors";
import type { Screen } from "#core/terminal";
import { ago, oneLine, table } from "#core/terminal";
import { type Caller, err, type JsonValue, ok, parseJson, type Result, sleep } from "#core/values";
import { fieldsOf, type Wanted } from "../approvals/answer-form.ts";
import type { Approval } from "../approvals/approval.ts";
import type { Decisions } from "../approvals/decisions.ts";
import type { Inbox } from "../approvals/inbox.ts";
import type { Presented } from "../approvals/present.ts";
import { askForFields, describeWanted, fieldsGiven } from "./answer-fields.ts";
import { describeForeseen, describeRisk } from "./describe-foreseen.ts";

interface InboxParts {
  readonly inbox: Inbox;
  readonly decisions: Decisions;
}

interface ListOptions {
  readonly all?: boolean;
  readonly limit: string;
}

const list: Command<"inbox", InboxParts, ListOptions> = {
  name: "list",
  summary: "what waits, the newest first",
  needs: "inbox",
  json: "approvals, each an approval_v1",
  arguments: [],
  options: {
    all: flag("also what was decided or has expired"),
    limit: text("n", "at most so many", "50"),
  },
  examples: ["writ inbox", "writ inbox list --all --json"],
  isDefault: true,
  exits: null,
  run: async ({ inbox: questions, decisions }, { options, context }) => {
    const limit = numberOption("--limit", options.limit);
    if (!limit.ok) return limit;
    const collected = await decisions.collect();
    if (!collected.ok) return collected;
    const found = await questions.list({ limit: limit.value, state: options.all ? "all" : "open" });
    if (!found.ok) return found;
    const now = context.clock.now();
    const approvals = await Promise.all(found.value.map((each) => decisions.present(each)));
    return ok({ json: { approvals }, text: (screen) => describe(approvals, now, screen) });
  },
};

const id = argument("id", "as `writ inbox` names it; its first characters suffice");

interface ShowParts extends InboxParts {
  readonly caller: string;
  readonly config: { readonly approvals: { readonly self_approval: string } };
}

const show: Command<"runtime", ShowParts> = {
  name: "show",
  summary: "one question, with the exact bytes that it is about; what hides or reorders is written out",
  needs: "runtime",
  json: "approval_v1",
  arguments: [id],
  options: {},
  examples: ["writ inbox show 4f2c"],
  exits: null,
  run: async (parts, { arguments: [named = ""] }) => {
    const collected = await parts.decisions.collect();
    if (!collected.ok) return collected;
    const found = await resolve(parts.inbox, named);
    if (!found.ok) return found;
    const approval = await parts.decisions.present(found.value, { whole: true });
    const shown = { by: whoDecides(parts, approval), wanted: parts.decisions.wantedBy(approval) };
    return ok({ json: approval, text: (screen) => detail(approval, shown, screen) });
  },
};

interface DecideParts extends InboxParts {
  localCaller(): Result<Caller>;
  /** Why nothing may be decided here but what stops. */
  readonly behind?: DomainError | undefined;
}

interface DecideOptions {
  readonly reason: string;
  readonly hash?: string;
  readonly choice?: string;
  readonly result?: string;
  readonly field?: readonly string[];
}

type DecideCommand<Need extends "runtime" | "controls"> = Command<Need, DecideParts, DecideOptions>;

function decision<Need extends "runtime" | "controls">(
  verb: "approve" | "deny",
  needs: Need,
  summary: string,
): DecideCommand<Need> {
  return {
    name: verb,
    summary,
    needs,
    json: "approval_v1",
    arguments: [id],
    options: {
      reason: text("text", "why, for the record", ""),
      hash: text("sha256", "decide only if it is about these bytes"),
      choice: text(
        "word",
        "the answer: allow, deny, or one of the question's own words, as `writ inbox show` lists them",
      ),
      result: text("json", "what a call in doubt answered that was done, or the fields that an MCP server asks for"),
      field: repeatedText("name=value", "one field that an MCP server asks for"),
    },
    examples: [`writ inbox ${verb} 4f2c --reason "looked at the file"`],
    exits: null,
    run: async (parts, { arguments: [named = ""], options, context }) => {
      if (parts.behind) return err(parts.behind);
      const found = await resolve(parts.inbox, named);
      if (!found.ok) return found;
      const by = parts.localCaller();
      if (!by.ok) return by;
      const wanted = verb === "approve" ? parts.decisions.wantedBy(found.value) : undefined;
      const result = await resultOf(options, wanted, context.ask);
      if (!result.ok) return result;
      const { approval_id, subject_hash, session_id, choices } = found.value;
      const { hash, reason, choice } = options;
      const held =
        verb === "approve"
          ? await hold(parts, by.value, { ...found.value, subject_hash: hash ?? subject_hash }, context)
          : ok(undefined);
      if (!held.ok) return held;
      const decided = await parts.decisions.decide(by.value, approval_id, {
        choice: choice ?? (choices.includes(verb) ? verb : (choices[verb === "approve" ? 0 : 1] ?? verb)),
        subject_hash: hash ?? subject_hash,
        reason,
        ...(result.value === undefined ? {} : { result: result.value }),
      });
      if (!decided.ok) return decided;
      const shown = await parts.decisions.present(decided.value);
      const next =
        shown.state === "open"
          ? `  a second person has to say it too; until then: writ inbox take-back ${shortApprovalId(approval_id)}\n`
          : session_id === null
            ? ""
            : `  go on: writ session resume ${session_id}\n`;
      return ok({ json: shown, text: () => `${shown.choice}: ${oneLine(found.value.title)}\n${next}` });
    },
  };
}

const takeBack: Command<"runtime", DecideParts> = {
  name: "take-back",
  summary: "withdraw what you said, while nothing has come of it: a second person has to say it too",
  needs: "runtime",
  json: "approval_v1",
  arguments: [id],
  options: {},
  examples: ["writ inbox take-back 4f2c"],
  exits: null,
  run: async (parts, { arguments: [named = ""] }) => {
    const found = await resolve(parts.inbox, named);
    if (!found.ok) return found;
    const by = parts.localCaller();
    if (!by.ok) return by;
    const taken = await parts.inbox.takeBack(by.value, found.value.approval_id);
    if (!taken.ok) return taken;
    const shown = await parts.decisions.present(taken.value);
    return ok({ json: shown, text: () => `open again: ${oneLine(shown.title)}\n` });
  },
};

/** A yes that is held is held here too: the time passes before the eyes of the person, who can still end it. */
async function hold(
  { inbox: questions, decisions }: DecideParts,
  by: Caller,
  approval: Approval,
  { clock, signal, stderr }: CliContext,
): Promise<Result<void>> {
  const { demands, risk, title } = await decisions.present(approval);
  if (demands.hold_seconds === 0 || approval.state !== "open") return ok(undefined);
  const pressed = await questions.press(by, approval.approval_id, approval.subject_hash);
  if (!pressed.ok) return pressed;
  stderr.write(
    `risk ${risk}: ${oneLine(title)}\n  it is decided in ${demands.hold_seconds} s; Ctrl-C decides nothing\n`,
  );
  if (await sleep(clock, demands.hold_seconds * 1000, signal)) return ok(undefined);
  return err(domainError("CANCELED", `${approval.approval_id} was not decided`));
}

export const inbox: CommandGroup<
  typeof list | typeof show | typeof takeBack | DecideCommand<"runtime"> | DecideCommand<"controls">
> = {
  name: "inbox",
  summary: "everything that waits for a person",
  examples: ["writ inbox", "writ inbox show 77991da1", 'writ inbox approve 77991da1 --reason "he asked me"'],
  members: [
    list,
    show,
    decision("approve", "runtime", "allow exactly what `writ inbox show` shows"),
    decision("deny", "controls", "refuse it"),
    takeBack,
  ],
};

function describe(approvals: readonly Presented[], now: number, screen: Screen): string {
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

/** The decision is stored, but the deciding process ended before it was carried out: it is pending and does not count yet. */
function isHalfSaid({ state, choice }: Approval): boolean {
  return state === "open" && choice !== null;
}

/** The author of a question may decide it only at this machine, and only where the workspace allows that. */
function whoDecides({ config, caller }: ShowParts, { author }: Approval): string {
  const mayDecide = config.approvals.self_approval === "local" && author === caller;
  return mayDecide ? "who may decide it at this machine, as approvals.self_approval says" : "who cannot approve it";
}

function detail(
  approval: Presented,
  { by, wanted }: { readonly by: string; readonly wanted: Wanted | undefined },
  screen: Screen,
): string {
  const worded = approval.answers.filter(({ needs_words }) => needs_words).map(({ choice }) => choice);
  const { approval_id, state, title, reason, author, session_id, subject_hash, shown, hidden, choices } = approval;
  const lines = [
    `${screen.bold(oneLine(title))}  ${screen.dim(approval_id)}  ${state}`,
    ...reason.split("\n").map((line, index) => `  ${index === 0 ? "why" : "   "}      ${oneLine(line)}`),
    `  for      ${oneLine(author)}, ${by}`,
    ...(session_id === null ? [] : [`  session  ${session_id}`]),
    `  until    ${approval.expires_at}, then ${approval.on_silence === "denied" ? "it counts as denied" : "it goes on waiting"}`,
    `  risk     ${describeRisk(approval)}`,
    `  sha256   ${subject_hash}`,
    ...describeForeseen(approval, screen),
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
    ...(wanted ? describeWanted(wanted, screen) : []),
  ];
  if (state === "open") {
    const short = shortApprovalId(approval_id);
    const { choice: said, decided_by } = approval;
    if (said !== null)
      lines.push(
        `  ${oneLine(decided_by ?? "")} said ${said}, and that was not carried out to its end: repeat it to go on`,
      );
    const chosen = (choice: string) =>
      `writ inbox approve ${short} --choice ${choice}${worded.includes(choice) ? ' --reason "…"' : ""}${fieldsOfYes(wanted, choice === choices[0])}`;
    const how = choices.includes("approve")
      ? ["approve", "deny"]
          .filter((verb) => said === null || said === verb)
          .map((verb) => `writ inbox ${verb} ${short}`)
          .concat(choices.filter((choice) => !["approve", "deny"].includes(choice) && said === null).map(chosen))
      : choices.filter((choice) => said === null || said === choice).map(chosen);
    lines.push(screen.dim(`  ${how.join("   ")}`));
  } else if (approval.decided_by !== null)
    lines.push(
      `  ${approval.choice} by ${oneLine(approval.decided_by)} at ${approval.decided_at}${approval.decision_reason ? `: ${oneLine(approval.decision_reason)}` : ""}`,
    );
  return `${lines.join("\n")}\n`;
}

/** The fields that have no answer of their own yet, as they are given. */
function fieldsOfYes(wanted: Wanted | undefined, isYes: boolean): string {
  if (!isYes || !wanted || !("form" in wanted)) return "";
  const open = fieldsOf(wanted.form).filter((field) => field.isRequired && field.default === undefined);
  return open.map(({ name }) => ` --field ${oneLine(name)}=…`).join("");
}

async function resultOf(
  { result, field, reason, choice, hash }: DecideOptions,
  wanted: Wanted | undefined,
  ask: ((question: string) => Promise<string>) | undefined,
): Promise<Result<JsonValue | undefined>> {
  if (result !== undefined) return parseJson(result);
  if (field && field.length > 0) return fieldsGiven(wanted, field);
  // A line that decides whole is not asked about.
  const isWhole = reason !== "" || choice !== undefined || hash !== undefined;
  if (isWhole || !ask || !wanted || !("form" in wanted)) return ok(undefined);
  return ok(await askForFields(wanted.form, ask));
}

/** By its whole id, or by the first characters of it, as long as only one begins like that. */
async function resolve(questions: Inbox, named: string): Promise<Result<Approval>> {
  const exact = await questions.find(named);
  if (exact.ok || exact.error.code !== "NOT_FOUND") return exact;
  const all = await questions.list({ limit: 1000 });
  if (!all.ok) return all;
  const [one, other] = all.value.filter((each) =>
    shortApprovalId(each.approval_id, 32).startsWith(named.replace(/^APR-/, "")),
  );
  if (!one || named === "") return exact;
  if (other)
    return err(
      domainError("AMBIGUOUS_ID", `more than one question begins with "${named}"; more of the id tells them apart`),
    );
  return ok(one);
}

function shortApprovalId(approval_id: string, length = 8): string {
  return approval_id.slice("APR-".length, "APR-".length + length);
}
