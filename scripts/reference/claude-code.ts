import { readFileSync } from "node:fs";
import { claudePoints } from "../../src/governance/claude/settings/claude-points.ts";
import { documentedSettings } from "../../src/governance/claude/settings/documented-settings.ts";
import { claudeNames } from "../../src/governance/claude/tool-names.ts";
import { ownPermissions, runPermissionCase } from "../../test/conformance/claude/own-permissions.ts";
import { code, type Page, page, table } from "./markdown.ts";

interface Recorded {
  readonly scores: readonly {
    readonly of: string;
    readonly cases: number;
    readonly denies: number;
    readonly asks: number;
    readonly rewrites: number;
    readonly same: number;
    readonly stricter: number;
    readonly looser: number;
  }[];
  readonly usable: readonly {
    readonly kind: string;
    readonly of: string;
    readonly all: number;
    readonly usable: number;
  }[];
}

const tools = [
  "exec",
  "fs.read",
  "fs.write",
  "fs.edit",
  "fs.list",
  "fs.search",
  "delegate",
  "skill.load",
  "ask",
  "todo",
];

/** Settings by the reason that they are not taken for. */
function notTaken(): readonly (readonly [string, string])[] {
  const keys = new Map<string, string[]>();
  for (const [key, why] of documentedSettings) if (why !== null) keys.set(why, [...(keys.get(why) ?? []), key]);
  return [...keys].map(([why, named]) => [named.toSorted().map(code).join(", "), why]);
}

/** What is read of Claude Code's files, and the decisions beside the documented ones. */
export async function claudeCodePage(): Promise<Page> {
  const recorded = JSON.parse(
    readFileSync(new URL("../../test/conformance/claude/recorded.json", import.meta.url), "utf8"),
  ) as Recorded;
  const rows = await Promise.all(ownPermissions.map(runPermissionCase));
  const different = rows.filter(({ score }) => score !== "same");
  return page("claude-code.md", "Claude Code's files and decisions", [
    "What Writ reads of a project that was made for Claude Code, and what it decides there: the same, or something stricter. The guide is [Come from Claude Code](../guides/come-from-claude-code.md).",
    "## Tools",
    "Calls are shown to hooks under the first name, with its fields; rules, matchers, skills and subagents may use all of them.",
    table(
      ["Writ", "Claude Code"],
      [
        ...tools.map((tool) => [code(tool), claudeNames(tool).map(code).join(", ")]),
        [code("server.tool"), code("mcp__server__tool")],
      ],
    ),
    "`WebFetch`, `WebSearch`, `Cd` and tools for notebooks, worktrees, schedules and background shells are not here; a rule that refuses `WebFetch(domain:…)` holds for hosts that programs reach.",
    "## Events of hooks",
    table(
      ["event", "asked at", ""],
      Object.entries(claudePoints).map(([event, { at, how }]) => [
        code(event),
        at === null ? "not asked" : code(at),
        how,
      ]),
    ),
    "Hooks of type `command` are asked, with `args`, `if`, `timeout`, `async` and `asyncRewake` (which wakes no agent here). Those of type `http` are asked at their address, with `headers` and `allowedEnvVars`; redirects are not followed.",
    table(
      ["type", "what is done for its answer"],
      [
        [
          code("mcp_tool"),
          "an order of its own calls the approved tool, with `${path}` in `input` filled in; its text is read like what a program prints. Servers of plugins are not started, so such a hook denies",
        ],
        [
          code("prompt"),
          "an order of its own asks a model once, without tools: `model` names a profile of `writ.yaml`, any other name is the default profile. `ok: false` blocks; at `Stop` `impossible` ends the work. `continueOnBlock` is not taken: the agent goes on after a refused call, and its next one is asked about again",
        ],
        [
          code("agent"),
          "an order of its own lets an agent list, read and search within the order that it is asked about, for at most 50 turns, and answer like a prompt",
        ],
      ],
    ),
    "The session of such an order stands in `hook.fired` (`sessions`). Hooks of settings files are asked about its calls, and not about its prompt and its end; those that would order again are not asked about it. A program that ends with another status than 0 and 2, an address that answers nothing of use, an order that fails, and any of them too late, denies; there the call goes on. At `Stop` such a hook lets the work end, as there.",
    "## Settings",
    table(
      ["in settings files", "in Writ"],
      [
        [
          code("permissions.deny, ask, allow"),
          "rules of every order's mandate, refusals first; they take away, and grant nothing that the order does not grant",
        ],
        [
          code("permissions.defaultMode"),
          "what no rule is about; `auto` and `manual` are read as `default`, `bypassPermissions` asks about nothing but ask rules",
        ],
        [code("permissions.additionalDirectories"), "not taken: agents act in the workspace"],
        [code("hooks"), "see above; `disableAllHooks` is not taken"],
        [
          code("allowManagedHooksOnly, allowedHttpHookUrls, httpHookAllowedEnvVars"),
          "as there; a hook that may not reach its address denies where its event decides",
        ],
        [
          code("sandbox.filesystem.denyRead, denyWrite, sandbox.credentials.files"),
          "files that no tool and no program may read, or change, in every order",
        ],
        [code("sandbox.network.deniedDomains"), "hosts that no program reaches"],
        [code("deniedMcpServers"), "servers by name, whose tools are refused; those by command or address are named"],
        [code("skillOverrides"), "`off` refuses the skill"],
        [code("outputStyle"), "the style below, of the file with the highest precedence that has one"],
        ["managed, local, project, user files", "all four; lists count together, single values by that precedence"],
        [
          code("CLAUDE.md, CLAUDE.local.md, AGENTS.md, .claude/rules/**/*.md"),
          "rules of the workspace, once `writ trust` has your word for them; nested ones, and files of the workspace that they import with `@path`",
        ],
        [
          code("~/.claude/CLAUDE.md, ~/.claude/rules/**/*.md"),
          "rules of the person, before those of the workspace, with what they import from the home folder, and before them the organization's `CLAUDE.md`: where `hooks.read_claude_settings` is on, and once `writ trust` has your word for them in this workspace",
        ],
        [
          code(".claude/output-styles/*.md, ~/.claude/output-styles/*.md"),
          "how the agent that answers the person answers, once `writ trust` has your word for the file; agents below it are not told. Of plugins and of the organization too. Writ has no instructions about code that `keep-coding-instructions` could leave out, and Claude Code's own styles have no file, so they are named",
        ],
      ],
    ),
    "Every other documented setting loads, does nothing, and is named by `writ hook list` and `writ doctor` with the reason, as is one that nobody documents. A setting that counts and has another shape is refused with its line.",
    table(["not taken", "why"], notTaken()),
    "## Skills, commands, subagents, plugins",
    table(
      ["file", "in Writ"],
      [
        [
          code(".claude/skills/*/SKILL.md"),
          "a skill, named after its folder; without `allowed-tools` it has the tools of its order",
        ],
        [
          code(".claude/commands/**/*.md"),
          "a skill that `/name arguments` starts: `$ARGUMENTS`, `$0`, names in `arguments`; a command in `` !`…` `` is text, and runs only if the agent runs it",
        ],
        [code("disallowed-tools, disallowedTools"), "refused while the skill or the subagent is at work"],
        [
          code(".claude/agents/**/*.md"),
          "a persona, named as its head says; one that has the name of a persona of Writ is `claude-NAME`",
        ],
        [
          code(".claude/plugins/*"),
          "their skills, commands, agents and hooks; nothing is installed from a marketplace",
        ],
        [
          code("hooks in heads"),
          "asked once the skill was started in the session; of a subagent those about its calls. A head that cannot be read denies there",
        ],
        [
          code("disable-model-invocation, user-invocable"),
          "who may start a skill: a person by `/name`, or the agent by its description",
        ],
        [code("permissionMode: plan"), "a subagent has no tools that change anything; other modes are not taken"],
        [code("model, effort, memory, isolation in heads"), "not taken: the order and its profile decide"],
      ],
    ),
    "## Decisions",
    `${rows.length} rules and calls of the documentation: ${rows.length - different.length} decided the same, ${different.filter(({ score }) => score === "stricter").length} stricter, ${different.filter(({ score }) => score === "looser").length} looser. The different ones:`,
    table(
      ["permissions", "call", "there", "here"],
      different.map(({ of, about, documented, found }) => [code(of), code(about), documented, found]),
    ),
    "Programs of hooks, unchanged, each asked about the calls of `test/conformance/claude/calls.ts` that its matcher fits. `npm run conformance -- claude --from FOLDER` does it again, with the repositories that `corpus-list.json` there names.",
    table(
      ["programs", "calls", "denied there", "asked", "changed", "same", "stricter", "looser"],
      recorded.scores.map(({ of, cases, denies, asks, rewrites, same, stricter, looser }) => [
        of,
        ...[cases, denies, asks, rewrites, same, stricter, looser].map(String),
      ]),
    ),
    "Files that load and can be used:",
    table(
      ["", "of", "usable"],
      recorded.usable.map(({ kind, of, all, usable }) => [kind, of, `${usable} of ${all}`]),
    ),
  ]);
}
