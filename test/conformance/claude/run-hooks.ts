import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { nodeFiles } from "#core/machine";
import {
  canonicalJson,
  DisposalStack,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  systemClock,
  systemRandom,
} from "#core/values";
import { openPrograms } from "#effects";
import { createHooks } from "#governance";
import { readSettings } from "../../../src/governance/claude/settings/read-settings.ts";
import { backgroundPrograms } from "../../../src/governance/hooks/background.ts";
import { hookModules } from "../../../src/governance/hooks/hook-modules.ts";
import { loadHooks } from "../../../src/governance/hooks/load-hooks.ts";
import { configDefaults } from "../../../src/workspace/config/defaults.ts";
import { memoryRecorder } from "../../support/memory-recorder.ts";
import { type Call, calls, rootMark } from "./calls.ts";
import { type Outcome, type Row, row, strictest } from "./decisions.ts";
import { documentedAnswer, isMatched } from "./documented-answer.ts";

/** Programs of a folder that are asked before calls, as its settings register them. */
export interface HookCase {
  readonly name: string;
  /** Puts the folder's files into a workspace. */
  readonly unpack: (root: string) => void;
  readonly hooks: readonly { readonly matcher?: string; readonly command: string }[];
}

/** Asks the programs of a case about every call, once as Claude Code would have and once through Writ. */
export async function runHookCase(
  { name, unpack, hooks }: HookCase,
  about: readonly Call[] = calls,
): Promise<readonly Row[]> {
  const root = realpathSync(mkdtempSync(join(process.env["WRIT_CONFORMANCE_DIR"] ?? tmpdir(), "writ-claude-")));
  const stack = new DisposalStack();
  const modules = hookModules(systemClock);
  const background = backgroundPrograms();
  try {
    unpack(root);
    const schemas = shippedRegistry();
    const { programs } = openPrograms(
      { root, config: configDefaults, clock: systemClock, random: systemRandom, env: process.env },
      stack,
    );
    const settings = {
      hooks: {
        PreToolUse: hooks.map(({ matcher, command }) => ({
          ...(matcher === undefined ? {} : { matcher }),
          hooks: [{ type: "command", command, timeout: 30 }],
        })),
      },
    };
    const read = await readSettings({
      root,
      env: {},
      isTrusted: true,
      managed: join(root, "absent"),
      files: {
        ...nodeFiles,
        readText: async (path, options) =>
          path.endsWith("/.claude/settings.json")
            ? { ok: true, value: JSON.stringify(settings) }
            : nodeFiles.readText(path, options),
      },
    });
    if (!read.ok) throw new Error(read.error.message);
    const handlers = await loadHooks({
      config: {},
      settings: read.value.hooks,
      root,
      files: nodeFiles,
      programs,
      modules,
      background,
      schemas,
    });
    if (!handlers.ok) throw new Error(handlers.error.message);
    const gate = createHooks({ handlers: handlers.value, schemas, clock: systemClock });
    const admitted = await Promise.all(
      hooks.map(async (hook) => {
        const words = hook.command
          .replaceAll(/["']/g, "")
          .replaceAll(/\$\{?CLAUDE_PROJECT_DIR\}?/g, root)
          .split(/\s+/);
        const program = await programs.admit({ where: name, words, rights: {} });
        if (!program.ok) throw new Error(program.error.message);
        return { ...hook, program: program.value };
      }),
    );
    const rows: Row[] = [];
    for (const call of about) {
      const wanted = await documented(admitted, call, root);
      if (wanted.outcomes.length === 0) continue; // no program of the case is asked about it
      const fired = await gate.fire(
        "PreToolUse",
        { subject: call.tool, payload: { tool: call.tool, args: call.args, call_id: "toolu_1" } },
        { recorder: memoryRecorder(), canAsk: true },
      );
      if (!fired.ok) throw new Error(fired.error.message);
      const { decision, reason, output } = fired.value;
      const found: Outcome = decision === "transform" ? "rewrite" : decision;
      const expected = strictest(wanted.outcomes);
      const isRewritten = expected !== "rewrite" || found !== "rewrite" || runs(output, wanted.input);
      rows.push(row(name, call.about, [expected, isRewritten ? found : "allow"], reason));
    }
    return rows;
  } finally {
    await modules.close();
    await background.close();
    await stack.disposeAsync();
    rmSync(root, { recursive: true, force: true });
  }
}

interface Admitted {
  readonly matcher?: string;
  readonly command: string;
  readonly program: { readonly run: (request: never) => Promise<unknown> };
}

async function documented(hooks: readonly Admitted[], call: Call, root: string) {
  const outcomes: Outcome[] = [];
  let input: JsonValue | undefined;
  for (const { matcher, command, program } of hooks) {
    const fitting = call.claude.filter(({ tool_name }) => isMatched(matcher, tool_name));
    // A list of edits is either one call of MultiEdit or several of Edit.
    const asked =
      matcher === undefined || matcher === "*" ? fitting.filter(({ tool_name }) => tool_name !== "MultiEdit") : fitting;
    for (const { tool_name, tool_input } of asked) {
      const shown = {
        session_id: "abc123",
        transcript_path: "/tmp/transcript.jsonl",
        cwd: root,
        permission_mode: "default",
        hook_event_name: "PreToolUse",
        tool_name,
        tool_input: JSON.parse(JSON.stringify(tool_input).replaceAll(rootMark, root)) as JsonObject,
        tool_use_id: "toolu_1",
      };
      const ran = (await program.run({
        command: ["/bin/sh", "-c", command],
        stdin: JSON.stringify(shown),
        env: { CLAUDE_PROJECT_DIR: root },
        timeoutMs: 30_000,
        maxOutputBytes: 1024 * 1024,
      } as never)) as { readonly ok: boolean; readonly value: Parameters<typeof documentedAnswer>[0] };
      if (!ran.ok) throw new Error(`${command} could not be started`);
      const answer = documentedAnswer(ran.value);
      outcomes.push(answer.outcome);
      if (answer.input !== undefined) input = answer.input;
    }
  }
  return { outcomes, input };
}

/** Whether what runs is the input that a program asked for: a line runs in a shell, a path is one of the workspace. */
function runs(output: unknown, input: JsonValue | undefined): boolean {
  if (!isJsonObject(input) || !isJsonObject(output)) return false;
  const { command } = input;
  if (typeof command === "string") return canonicalJson(output["command"]) === canonicalJson(["sh", "-c", command]);
  const path = typeof input["file_path"] === "string" ? input["file_path"] : undefined;
  return path === undefined || path.endsWith(String(output["path"]));
}
