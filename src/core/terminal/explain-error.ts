import type { DomainError } from "../errors/domain-error.ts";
import { remedyFor } from "../errors/remedy-for.ts";
import { fold } from "./fold.ts";
import type { Screen } from "./screen.ts";

interface Complaint {
  readonly where?: string;
  readonly message: string;
  readonly hint?: string;
}

/**
 * The one place that renders an expected failure: what was asked, what is wrong, where, how to repair it. Callers put
 * `where`, `hint`, `problems` or `violations` into an error's details; absent ones are left out.
 */
export function explainError(
  error: DomainError,
  options: { readonly asked: string; readonly screen: Screen; readonly debug: boolean },
): string {
  const { screen } = options;
  const row = (label: string, text: string) =>
    fold(screen, `  ${screen.dim(label.padEnd(6))}  ${text.replaceAll("\n", "\n          ")}`, 10);
  const complaints = complaintsOf(error);
  const lines = [
    fold(
      screen,
      `${screen.red("writ:")} ${complaints.length > 0 ? summary(error, complaints.length) : error.message}`,
      6,
    ),
    row("asked", options.asked),
  ];
  for (const { where, message, hint } of complaints) {
    lines.push(row("wrong", where ? `${screen.bold(where)}: ${message}` : message));
    if (hint) lines.push(row("mend", hint));
  }
  if (complaints.length === 0) {
    const where = error.details["where"];
    if (typeof where === "string") lines.push(row("where", where));
  }
  const hint =
    error.details["hint"] ??
    (complaints.some((complaint) => complaint.hint)
      ? undefined
      : (contractOf(error) ?? (error.message.includes("`writ ") ? undefined : remedyFor(error.code))));
  if (typeof hint === "string") lines.push(row("mend", hint));
  lines.push(row("code", error.code));
  if (options.debug) lines.push(stackOf(error));
  return `${lines.join("\n")}\n`;
}

/** Where a document violates its contract, the contract describes a valid one. */
function contractOf({ details }: DomainError): string | undefined {
  const { schema_id, violations } = details;
  return typeof schema_id === "string" && Array.isArray(violations)
    ? `\`writ schema show ${schema_id}\` shows what it has to be`
    : undefined;
}

function complaintsOf(error: DomainError): readonly Complaint[] {
  const { problems, violations } = error.details;
  if (Array.isArray(problems))
    return (problems as readonly (string | Complaint)[]).map((each) =>
      typeof each === "string" ? { message: each } : each,
    );
  if (!Array.isArray(violations)) return [];
  return (violations as readonly { path: string; expected: string; found: string }[]).map(
    ({ path, expected, found }) => ({
      where: path,
      message: `expected ${expected}, found ${found}`,
    }),
  );
}

function summary(error: DomainError, count: number): string {
  const things = count === 1 ? "1 problem" : `${count} problems`;
  const schema = error.details["schema_id"];
  if (error.code === "CONFIG_INVALID") return `the configuration has ${things}`;
  if (typeof schema !== "string") return error.message;
  const where = error.details["where"];
  return `${typeof where === "string" ? `${where}: ` : ""}${things} against ${schema}`;
}

function stackOf(error: DomainError): string {
  const { cause } = error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(error.details, null, 2);
}
