import type { DescribedCommand, DescribedTerm } from "../../src/surface/cli/describe-commands.ts";
import { code, type Page, page, table } from "./markdown.ts";

export function commandsPage(global: readonly DescribedTerm[], commands: readonly DescribedCommand[]): Page {
  const groups = [...new Set(commands.map(({ group }) => group))];
  return page("commands.md", "Commands", [
    "`writ help COMMAND` prints the same for one command.",
    "## Everywhere",
    terms("option", global),
    "`--json` prints one JSON document on stdout and nothing else there; messages go to stderr. Outside a workspace a command that needs one ends with 2 and names `writ init`. Ids may be shortened wherever that is unique; `last` is the newest session or run.",
    "## Exit statuses",
    table(
      ["status", "meaning"],
      [
        ["0", "done"],
        ["1", "failed"],
        ["2", "wrong usage, or input that cannot be read"],
        ["3", "refused by a gate: rejected, denied, not authorized, beyond a budget"],
        ["4", "waiting for a person"],
        ["130", "ended by Ctrl-C"],
        ["143", "stopped by SIGTERM"],
      ],
    ),
    ...groups.flatMap((group) => [`## ${group}`, ...commands.filter((each) => each.group === group).map(commandText)]),
  ]);
}

function commandText(command: DescribedCommand): string {
  const own = command.options.filter(({ term }) => !term.startsWith("-h,"));
  return [
    `### writ ${command.name}`,
    sentence(command.description),
    `\`\`\`text\n${command.usage}\n\`\`\``,
    ...(command.arguments.length > 0 ? [terms("argument", command.arguments)] : []),
    ...(own.length > 0 ? [terms("option", own)] : []),
    ...answers(command),
    ...(command.notes === "" ? [] : [`\`\`\`text\n${command.notes}\n\`\`\``]),
  ].join("\n\n");
}

/** What a program that starts the command reads: its document and its status. */
function answers({ json, exits }: DescribedCommand): readonly string[] {
  const means = Object.entries(exits).map(([status, text]) => `${status}: ${text}`);
  return [
    ...(json === undefined ? [] : [`\`--json\`: ${linked(json)}.`]),
    ...(means.length === 0 ? [] : [`Exit status ${means.join("; ")}.`]),
  ];
}

/** Contracts in it lead to the list of contracts. */
function linked(text: string): string {
  return text.replace(/\b[a-z][a-z_]*_v\d+\b/g, (id) => `[\`${id}\`](contracts.md)`);
}

function terms(what: string, list: readonly DescribedTerm[]): string {
  return table(
    [what, "meaning", "default"],
    list.map(({ term, description, default: value }) => [
      code(term),
      description,
      value === undefined ? "" : code(value),
    ]),
  );
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
