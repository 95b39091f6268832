import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { nodeFiles } from "#core/machine";
import { systemClock } from "#core/values";
import { createSkills } from "../../../src/agents/skills/discover-skills.ts";
import { type TestWorkspace, testWorkspace } from "../../support/runtime-workspace.ts";
import type { Usable } from "./usable-files.ts";

interface Known {
  readonly id: string;
  readonly description: string;
  readonly folder: string;
}

/**
 * Whole requests in a workspace with all skills of a folder, one for each: the request names its subject, the scripted model loads the
 * skill whose description fits it best, reads a file beside it, and has a program look at one of its scripts.
 */
export async function usableInRuns(of: string, folder: string): Promise<Usable> {
  await using workspace = await testWorkspace({ rules: [] });
  const skills = join(workspace.root, ".claude/skills");
  mkdirSync(skills, { recursive: true });
  cpSync(folder, skills, { recursive: true });
  const root = { origin: "agents" as const, folder: skills, shownAs: ".claude/skills" };
  const found = await createSkills({
    files: nodeFiles,
    schemas: shippedRegistry(),
    clock: systemClock,
    roots: [root],
  }).discover();
  if (!found.ok) throw new Error(found.error.message);
  const known = found.value.skills.map(({ id, description, path }) => ({
    id,
    description,
    folder: join(workspace.root, path, ".."),
  }));
  const left: string[] = [];
  for (const skill of known) {
    const why = await whyUnusable(workspace, skill, known);
    if (why !== undefined) left.push(`${skill.id}: ${why}`);
  }
  const all = known.length + found.value.skipped.length;
  return { kind: "skills in whole runs", of, all, usable: known.length - left.length, left };
}

async function whyUnusable(
  workspace: TestWorkspace,
  skill: Known,
  known: readonly Known[],
): Promise<string | undefined> {
  const request = subjectOf(skill);
  const chosen = bestOf(request, known);
  if (chosen.id !== skill.id) return `"${request}" fits ${chosen.id} better`;
  const calls = [{ name: "skill.load", args: { skill: chosen.id } }, ...looks(workspace.root, skill)];
  await workspace.write(
    "script.yaml",
    JSON.stringify({
      rules: [
        { when: { call: 1 }, respond: { tool_calls: calls.slice(0, 1) } },
        { when: { call: 2 }, respond: { tool_calls: calls.slice(1) } },
        { when: { call: 3 }, respond: { text: "done" } },
      ],
    }),
  );
  await workspace.reopen();
  const asked = await workspace.ask(request, { allow: ["exec", "skill.load", "fs.read"] });
  const done = asked.status === "waiting" ? await approved(workspace, asked.session_id) : asked;
  if (done.status !== "success") return `${done.status}: ${done.error ?? ""}`;
  const events = await workspace.events(done.session_id);
  const named = events.find(({ type }) => type === "llm.request");
  if (!JSON.stringify(named?.payload).includes(skill.id)) return "the agent was not told of it";
  const invoked = events
    .filter(({ type }) => type === "skill.invoke")
    .map(({ payload }) => (payload as { skill: string }).skill);
  if (invoked.some((id) => id !== skill.id)) return `${invoked.join(", ")} was started instead`;
  const results = events
    .filter(({ type }) => type === "tool.result")
    .map(({ payload }) => payload as { status: string });
  const failed = results.filter(({ status }) => status !== "ok").length;
  return results.length === calls.length && failed === 0
    ? undefined
    : `${results.length - failed} of ${calls.length} calls succeeded`;
}

/** A program is started once a person allows it. */
async function approved({ runtime }: TestWorkspace, session_id: string | null | undefined) {
  const open = await runtime.inbox.list({ state: "open", limit: 1 });
  const by = runtime.localCaller();
  const [question] = open.ok ? open.value : [];
  if (!question || !by.ok) throw new Error("a person was not asked");
  const { approval_id, subject_hash } = question;
  const word = await runtime.decisions.decide(by.value, approval_id, { choice: "approve", subject_hash, reason: "" });
  if (!word.ok) throw new Error(word.error.message);
  const resumed = await runtime.resumeSession(session_id as never);
  return resumed.ok ? resumed.value : { status: "failed", error: resumed.error.message, session_id };
}

/** A request in the words of the skill's own description, without its name. */
function subjectOf({ id, description }: Known): string {
  const words = description
    .replaceAll(/\s+/g, " ")
    .split(/(?<=[.;:])\s/, 2)
    .join(" ")
    .slice(0, 240);
  return `please: ${words.replaceAll(new RegExp(id.replaceAll("-", "[- ]"), "gi"), "it")}`;
}

function bestOf(request: string, known: readonly Known[]): Known {
  const asked = new Set(wordsOf(request));
  const scored = known.map((skill) => {
    const own = new Set(wordsOf(`${skill.id} ${skill.description}`));
    return { skill, score: [...asked].filter((word) => own.has(word)).length };
  });
  const [best] = scored.toSorted((one, other) => other.score - one.score);
  if (!best) throw new Error("there are no skills");
  return best.skill;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z][a-z0-9.]{2,}/g) ?? [];
}

/** Reads what lies beside the skill, and parses one of its scripts. */
function looks(root: string, { folder }: Known): readonly object[] {
  const below = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const text = below.find((name) => /\.(md|txt)$/.test(name) && name !== "SKILL.md");
  const script = below.find((name) => /\.(py|sh|js)$/.test(name) && !/__init__/.test(name));
  const path = relative(root, join(folder, script ?? "SKILL.md"));
  const parses: Readonly<Record<string, readonly string[]>> = {
    py: ["python3", "-c", `import ast; ast.parse(open(${JSON.stringify(path)}).read())`],
    sh: ["bash", "-n", path],
    js: ["node", "--check", path],
  };
  const command = parses[path.split(".").at(-1) ?? ""] ?? ["sh", "-c", `head -c 100 '${path}' >/dev/null`];
  return [
    ...(text === undefined || !existsSync(join(folder, text))
      ? []
      : [{ name: "fs.read", args: { path: relative(root, join(folder, text)) } }]),
    { name: "exec", args: { command } },
  ];
}
