import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { JsonObject, JsonValue } from "#core/values";
import { injecAgent } from "./injec-agent.ts";
import { ownSuite } from "./own-suite.ts";

/** A call of a task, with what it returned when it was recorded. */
export interface RecordedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly result: JsonValue;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
  /** Whether calling it changes the world; a server would say so in its annotations. */
  readonly changesWorld: boolean;
}

export interface Task {
  readonly id: string;
  readonly prompt: string;
  readonly honest: readonly RecordedCall[];
}

export interface Attack {
  readonly id: string;
  readonly goal: string;
  readonly calls: readonly Pick<RecordedCall, "tool" | "args">[];
}

/** An attack placed in what a task reads. */
export interface Pair {
  readonly task: Task;
  readonly attack: Attack;
  /** The honest calls with the poison in their results. */
  readonly poisoned: readonly RecordedCall[];
}

export interface Suite {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly tasks: readonly Task[];
  readonly pairs: readonly Pair[];
  /** Pairs whose attack holds no act: they can only make the agent say something. */
  readonly wordsOnly: number;
  /** What a person declared of its tools; else it lies in a file of the suite's name. */
  readonly declarations?: JsonObject;
}

type Line = JsonObject & { readonly kind?: string };

/** The suite of our own, and every suite in a folder of recorded data, by its file's name. */
export function readCorpus(folder: string | undefined): readonly Suite[] {
  return [ownSuite, ...(folder === undefined ? [] : recordedSuites(folder))];
}

function recordedSuites(folder: string): readonly Suite[] {
  const files = readdirSync(folder).sort();
  const suites = files
    .filter((file) => file.startsWith("agentdojo-") && file.endsWith(".jsonl.gz"))
    .map((file) => agentDojo(file.replace(".jsonl.gz", ""), linesOf(join(folder, file))));
  if (!files.includes("injecagent-ds.jsonl.gz")) return suites;
  const [cases, toolkits] = ["injecagent-ds", "injecagent-tools"].map((name) =>
    linesOf(join(folder, `${name}.jsonl.gz`)),
  );
  return [...suites, injecAgent(cases ?? [], toolkits ?? [])];
}

function linesOf(path: string): readonly Line[] {
  const text = gunzipSync(readFileSync(path)).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

interface TaskLine {
  readonly id: string;
  readonly prompt: string;
  readonly honest_calls: readonly RecordedCall[];
}

interface AttackLine extends Attack {
  readonly words_only: boolean;
}

interface PairLine {
  readonly task: string;
  readonly injection: string;
  readonly poisoned: readonly { readonly call_index: number; readonly result?: JsonValue }[];
}

function agentDojo(name: string, lines: readonly Line[]): Suite {
  const of = <T>(kind: string) => lines.filter((line) => line.kind === kind) as unknown as readonly T[];
  const tasks = new Map(
    of<TaskLine>("task").map(({ id, prompt, honest_calls }) => [id, { id, prompt, honest: honest_calls }]),
  );
  const attacks = new Map(of<AttackLine>("injection").map((each) => [each.id, each]));
  const pairs: Pair[] = [];
  let wordsOnly = 0;
  for (const { task: taskId, injection, poisoned } of of<PairLine>("pair")) {
    const [task, attack] = [tasks.get(taskId), attacks.get(injection)];
    if (!task || !attack) continue;
    if (attack.words_only) wordsOnly += 1;
    const results = new Map(poisoned.map(({ call_index, result }) => [call_index, result]));
    const calls = task.honest.map((call, index) => ({ ...call, result: results.get(index) ?? call.result }));
    pairs.push({ task, attack, poisoned: calls });
  }
  const tools = of<{ name: string; description: string; input_schema: JsonObject; changes_world: JsonValue }>("tool");
  return {
    name,
    tools: tools.map(({ changes_world, ...tool }) => ({ ...tool, changesWorld: changes_world !== false })),
    tasks: [...tasks.values()],
    pairs,
    wordsOnly,
  };
}
