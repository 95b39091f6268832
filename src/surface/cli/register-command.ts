import { type Command as Commander, Option } from "commander";
import type {
  ArgumentSpec,
  CliContext,
  CommandNode,
  CommandRowOf,
  Example,
  HelpText,
  Openers,
  OptionSpec,
} from "#core/commands";
import { type Answer, act, type Invocation, printWhileOpen } from "#core/commands";
import { ok, type Result } from "#core/values";

/** Adds a command, or a group with all its members, to a parent as commander wants it. */
export function registerCommand<Opened>(
  parent: Commander,
  node: CommandNode<Opened>,
  openers: Openers<Opened>,
  context: CliContext,
): void {
  if ("members" in node) {
    const group = parent.command(node.name).description(node.summary).addHelpText("after", helpAfter(node));
    for (const member of node.members) registerCommand(group, member, openers, context);
    return;
  }
  const command = parent
    .command(node.name, { isDefault: node.isDefault ?? false })
    .description(node.summary)
    .addHelpText("after", helpAfter(node))
    .action(act<never>(context, (invocation) => perform(node, openers, invocation)));
  for (const each of node.arguments) command.argument(argumentTerm(each), each.about, each.fallback);
  for (const [key, spec] of Object.entries(node.options)) command.addOption(optionOf(key, spec));
}

function perform<Opened, Need extends keyof Opened & string>(
  row: CommandRowOf<Opened, Need>,
  openers: Openers<Opened>,
  invocation: Invocation<never>,
): Promise<Result<Answer>> {
  return openers[row.needs](invocation, async (parts) => {
    const answer = await row.run(parts, invocation);
    return answer.ok ? ok(await printWhileOpen(answer.value, invocation)) : answer;
  });
}

/** `[options] <prompt>`: what stands behind a command's name in the list of its parent. */
export function termsOf<Opened>(node: CommandNode<Opened>): string {
  if ("members" in node) return "";
  const options = Object.keys(node.options).length > 0 ? ["[options]"] : [];
  return [...options, ...node.arguments.map(argumentTerm)].join(" ");
}

function argumentTerm({ name, takes }: ArgumentSpec): string {
  if (takes === "one") return `<${name}>`;
  return takes === "one or none" ? `[${name}]` : `[${name}...]`;
}

function optionOf(key: string, spec: OptionSpec): Option {
  const long = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (spec.kind === "flag") return new Option(long, spec.about);
  const isRow = spec.kind === "texts" && spec.given === "in a row";
  const alone = spec.kind === "text" ? spec.alone : undefined;
  const value = alone === undefined ? `<${spec.value}${isRow ? "..." : ""}>` : `[${spec.value}]`;
  const option = new Option(`${long} ${value}`, spec.about);
  if (alone !== undefined) option.preset(alone);
  if ("fallback" in spec) option.default(spec.fallback);
  if ("isRequired" in spec) option.makeOptionMandatory();
  if (spec.kind === "texts" && spec.given === "one by one")
    option.argParser((value, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return option;
}

function helpAfter({ about, examples, examplesTitle, after }: HelpText): string {
  const title = examplesTitle ?? (examples.length === 1 ? "Example:" : "Examples:");
  const before = about === undefined ? "" : `\n${about}\n`;
  return `${before}\n${title}\n${examples.map(exampleLine).join("")}${after === undefined ? "" : `${after}\n`}`;
}

function exampleLine(example: Example): string {
  return typeof example === "string" ? `  $ ${example}\n` : `  ${example.line}\n`;
}
