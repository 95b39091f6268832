import type { JsonObject, JsonValue } from "#core/values";

/** A title stands in one line of a list. */
const mostTitle = 160;

/** What a call will do, in the words of the person who decides: from its name and its arguments alone, so that every screen shows the same. */
export function titleOfCall(tool: string, args: JsonObject): string {
  const title = known[tool]?.(args) ?? byShape(tool, args);
  return title.length > mostTitle ? `${title.slice(0, mostTitle - 1)}…` : title;
}

const known: Readonly<Record<string, (args: JsonObject) => string | undefined>> = {
  "fs.write": ({ path, content, expected_hash }) =>
    expected_hash === ""
      ? `create ${word(path)}: +${lines(linesIn(content))}`
      : `replace ${word(path)}: ${lines(linesIn(content))}`,
  "fs.edit": ({ path, edits }) => {
    const all = list(edits).filter(isObject);
    const [removed, added] = [all.map((each) => linesIn(each["old"])), all.map((each) => linesIn(each["new"]))].map(
      sum,
    );
    return `edit ${word(path)}: ${counts(removed ?? 0, added ?? 0)}${all.some((each) => each["all"] === true) ? ", in every place" : ""}`;
  },
  exec: ({ command, cwd }) => `run ${list(command).map(word).join(" ")}${cwd ? ` in ${word(cwd)}` : ""}`,
  delegate: ({ tasks }) => (Array.isArray(tasks) ? `hand ${number(tasks.length, "task")} to other agents` : undefined),
};

/** Lines that go and come, as a title tells them. */
export function counts(removed: number, added: number): string {
  return `−${removed} +${lines(added)}`;
}

/** Tools of others are known by the names of their arguments. */
function byShape(tool: string, args: JsonObject): string {
  const { command, url, file_path, content, new_string } = args;
  const people = [args["to"], args["cc"], args["bcc"]].flatMap(addresses);
  if (people.length > 0 && people.every((each) => each.includes("@"))) return mailTitle(tool, people);
  if (typeof command === "string") return `${tool}: ${word(command)}`;
  if (typeof url === "string" && URL.canParse(url))
    return `${tool}: ${new URL(url).host}${word(new URL(url).pathname)}`;
  if (typeof file_path === "string") {
    const text = content ?? new_string;
    return `${tool}: ${word(file_path)}${text === undefined ? "" : `, ${lines(linesIn(text))}`}`;
  }
  const said = Object.entries(args).map(([name, value]) => `${name} ${word(value)}`);
  return said.length === 0 ? `call ${tool}` : `call ${tool}: ${said.join(", ")}`;
}

function mailTitle(tool: string, people: readonly string[]): string {
  const hosts = [...new Set(people.map((each) => word(each.slice(each.lastIndexOf("@") + 1).replace(/>$/, ""))))];
  return `send mail to ${people.length === 1 ? word(people[0]) : `${people.length} people at ${hosts.join(", ")}`} (${tool})`;
}

function addresses(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string")
    return value
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "");
  return list(value).filter((each): each is string => typeof each === "string");
}

function number(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

function lines(count: number): string {
  return number(count, "line");
}

function linesIn(text: JsonValue | undefined): number {
  if (typeof text !== "string" || text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

/** In one line, and no longer than a reader looks at. */
function word(value: JsonValue | undefined): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
