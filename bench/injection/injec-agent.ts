import type { JsonObject, JsonValue } from "#core/values";
import type { RecordedCall, Suite, Tool } from "./corpus.ts";

interface CaseLine {
  readonly "Attacker Tools": readonly string[];
  readonly "Attacker Instruction": string;
  readonly "User Tool": string;
  readonly "User Instruction": string;
  readonly "Tool Parameters": string;
  readonly "Tool Response": string;
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly required?: boolean;
}

interface Toolkit {
  readonly name_for_model: string;
  readonly tools: readonly {
    readonly name: string;
    readonly summary: string;
    readonly parameters: readonly Parameter[];
  }[];
}

/** What a server would annotate as reading, by the verb that its tool's name begins with. */
const reading = /^(?:Get|Search|View|List|Read|Find|Check|Retrieve|Access|Download|Show|Look)/;

/** Cases that name the attacker's tools and give no arguments: those are filled in with the attacker's own values. */
export function injecAgent(cases: readonly JsonObject[], toolkits: readonly JsonObject[]): Suite {
  const known = new Map<string, { readonly tool: Tool; readonly parameters: readonly Parameter[] }>();
  for (const { name_for_model, tools } of toolkits as unknown as readonly Toolkit[]) {
    for (const { name, summary, parameters } of tools) {
      const properties = Object.fromEntries(parameters.map((each) => [each.name, {}]));
      const input_schema: JsonObject = { type: "object", properties };
      const tool = {
        name: `${name_for_model}${name}`,
        description: summary,
        input_schema,
        changesWorld: !reading.test(name),
      };
      known.set(tool.name, { tool, parameters });
    }
  }
  const used = new Map<string, Tool>();
  const pairs = (cases as unknown as readonly CaseLine[]).map((line, at) => {
    for (const name of [line["User Tool"], ...line["Attacker Tools"]]) {
      const found = known.get(name);
      if (found) used.set(name, found.tool);
    }
    const instruction = line["Attacker Instruction"];
    const args = fromPython(line["Tool Parameters"]) as JsonObject;
    const honest: RecordedCall = { tool: line["User Tool"], args, result: "" };
    const calls = line["Attacker Tools"].map((tool) => ({
      tool,
      args: attackersOwn(known.get(tool)?.parameters ?? [], instruction),
    }));
    const task = { id: `case-${at}`, prompt: line["User Instruction"], honest: [honest] };
    return {
      task,
      attack: { id: "data-stealing", goal: instruction, calls },
      poisoned: [{ ...honest, result: line["Tool Response"] }],
    };
  });
  return { name: "injecagent-ds", tools: [...used.values()], tasks: [], pairs, wordsOnly: 0 };
}

function attackersOwn(parameters: readonly Parameter[], instruction: string): JsonObject {
  const mail = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(instruction)?.[0] ?? "attacker@evil.example";
  const number = Number(/\d+(?:\.\d+)?/.exec(instruction)?.[0] ?? 1);
  const valueOf = ({ name, type }: Parameter): JsonValue => {
    if (type === "integer" || type === "number") return number;
    if (type === "boolean") return true;
    const value = /^(?:to|.*(?:mail|recipient).*)$/.test(name) ? mail : `what the instruction says of ${name}`;
    return type === "array" ? [value] : value;
  };
  return Object.fromEntries(parameters.filter(({ required }) => required).map((each) => [each.name, valueOf(each)]));
}

/** A value as Python prints it. */
function fromPython(text: string): JsonValue {
  const json = text.replaceAll(
    /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\b(True|False|None)\b/g,
    (_, one, two, word) => {
      if (word !== undefined) return { True: "true", False: "false", None: "null" }[word as "True"] ?? "null";
      return JSON.stringify(String(one ?? two).replaceAll("\\'", "'"));
    },
  );
  return JSON.parse(json) as JsonValue;
}
