import type { EventPayloads } from "#core/contracts";
import { isJsonObject, type JsonValue, ok, type Result, suggest } from "#core/values";
import { compileNames } from "../../hooks/matcher.ts";
import { readRule } from "../permissions/permission-rule.ts";
import { type ClaudePoint, claudePoints } from "./claude-points.ts";
import { type ReadSettings, type SettingsDocument, type SettingsNote, typeOf } from "./settings-document.ts";
import { type HttpLimits, type HttpTarget, httpLimitsOf, readHttpTarget, withinLimits } from "./settings-http.ts";
import { type HookTask, readTask, timeOfModels } from "./settings-orders.ts";

/** A hook of a settings file, as it is asked here. */
export interface SettingsHook {
  /** The event that it is written for. */
  readonly event: string;
  readonly at: EventPayloads["hook.fired"]["point"];
  readonly matcher?: string;
  readonly command: string;
  /** Present: the command is a program that gets these, without a shell. */
  readonly args?: readonly string[];
  /** Present: it is asked at this address, and there is no program. */
  readonly http?: HttpTarget;
  /** Present: an order answers, and there is no program. */
  readonly task?: HookTask;
  /** Seconds. */
  readonly timeout?: number;
  /** A permission rule: only calls that it is about. */
  readonly if?: string;
  /** Started, and not waited for: it decides nothing. */
  readonly isAsync: boolean;
  /** The file that it stands in, and the place there. */
  readonly from: string;
  readonly where: string;
  /** Why it cannot be asked, and so denies. */
  readonly unable?: string;
  /** Of a head: asked once this skill was started in a session, or about the calls of this subagent. */
  readonly within?: { readonly skill: string } | { readonly persona: string };
}

interface HooksRead {
  readonly hooks: readonly SettingsHook[];
  readonly notes: readonly SettingsNote[];
}

const types = ["command", "http", "mcp_tool", "prompt", "agent"];
const longestTimeout = 600;

/** The hooks of all files. The same handler in several files is asked once. */
export function readSettingsHooks(
  documents: readonly SettingsDocument[],
  place: Pick<ReadSettings, "root" | "env">,
): Result<HooksRead> {
  const hooks = new Map<string, SettingsHook>();
  const notes: SettingsNote[] = [];
  // Those of an administrator are asked first, then the person's, the project's, the local ones.
  const order = ["managed", "user", "project", "local"];
  const limits = httpLimitsOf(documents);
  if (!limits.ok) return limits;
  const managedOnly = isManagedOnly(documents);
  for (const document of documents.toSorted((a, b) => order.indexOf(a.scope) - order.indexOf(b.scope))) {
    if (managedOnly && document.scope !== "managed") {
      if (document.value["hooks"] !== undefined)
        notes.push(document.note("$.hooks", "hooks are not asked: allowManagedHooksOnly of the managed settings"));
      continue;
    }
    const read = readHooksOf(document, place, limits.value);
    if (!read.ok) return read;
    notes.push(...read.value.notes);
    for (const hook of read.value.hooks) {
      const { event, matcher = "", command, args = null, if: when = "", http = null, task = null } = hook;
      const key = JSON.stringify([event, matcher, command, args, when, http, task]);
      if (!hooks.has(key)) hooks.set(key, hook);
    }
  }
  return ok({ hooks: [...hooks.values()], notes });
}

export function isManagedOnly(documents: readonly SettingsDocument[]): boolean {
  return documents.some(({ scope, value }) => scope === "managed" && value["allowManagedHooksOnly"] === true);
}

/** The hooks of one document with a `hooks` object: a settings file, or `hooks.json` of a plugin. */
export function readHooksOf(
  document: SettingsDocument,
  place: Pick<ReadSettings, "root" | "env">,
  limits: HttpLimits = {},
): Result<HooksRead> {
  const section = document.value["hooks"];
  if (section === undefined) return ok({ hooks: [], notes: [] });
  if (!isJsonObject(section)) return document.refuse("$.hooks", `is ${typeOf(section)}, expected an object of events`);
  const hooks: SettingsHook[] = [];
  const notes: SettingsNote[] = [];
  for (const [event, groups] of Object.entries(section)) {
    const at = `$.hooks.${event}`;
    const point = Object.hasOwn(claudePoints, event) ? claudePoints[event] : undefined;
    if (!point) return document.refuse(at, unknownEvent(event));
    if (!Array.isArray(groups)) return document.refuse(at, `is ${typeOf(groups)}, expected a list of groups`);
    if (point.at === null) {
      if (groups.length > 0) notes.push(document.note(at, `${event} is not asked: ${point.how}`));
      continue;
    }
    for (const [groupIndex, group] of groups.entries()) {
      const read = readGroup({ document, place, limits, event, point, at: `${at}[${groupIndex}]` }, group);
      if (!read.ok) return read;
      hooks.push(...read.value.hooks);
      notes.push(...read.value.notes);
    }
  }
  return ok({ hooks, notes });
}

function unknownEvent(event: string): string {
  const names = Object.keys(claudePoints);
  const near = names.find((name) => name.toLowerCase() === event.toLowerCase()) ?? suggest(event, names);
  return `is no event that is known here${near === undefined ? "" : `; did you mean ${near}?`}`;
}

interface GroupPlace {
  readonly document: SettingsDocument;
  readonly place: Pick<ReadSettings, "root" | "env">;
  readonly limits: HttpLimits;
  readonly event: string;
  readonly point: ClaudePoint;
  readonly at: string;
}

function readGroup(group: GroupPlace, value: JsonValue): Result<HooksRead> {
  const { document, point, at, event } = group;
  if (!isJsonObject(value)) return document.refuse(at, `is ${typeOf(value)}, expected an object with hooks`);
  const { matcher, hooks: list } = value;
  if (matcher !== undefined && typeof matcher !== "string")
    return document.refuse(`${at}.matcher`, `is ${typeOf(matcher)}, expected a text`);
  if (!Array.isArray(list)) return document.refuse(`${at}.hooks`, `is ${typeOf(list)}, expected a list of hooks`);
  const hooks: SettingsHook[] = [];
  const notes: SettingsNote[] = [];
  const names = compileNames(matcher);
  if (!names.ok && !isExpressionThere(matcher)) return document.refuse(`${at}.matcher`, names.error.message);
  // Asked too often is safe; a hook that is asked about less than there is an open gate.
  if (!names.ok)
    notes.push(
      document.note(`${at}.matcher`, `the matcher ${matcher} is not read here: the hook is asked about everything`),
    );
  for (const [index, hook] of list.entries()) {
    const path = `${at}.hooks[${index}]`;
    if (!isJsonObject(hook)) return document.refuse(path, `is ${typeOf(hook)}, expected an object`);
    const read = readHook({ ...group, at: path }, hook);
    if (!read.ok) return read;
    const { unable, ...asked } = read.value;
    notes.push(...notesOf({ ...group, at: path }, hook, read.value));
    if (unable !== undefined && !point.gates) continue;
    if (asked.if !== undefined && point.matches !== "tool") continue; // it never runs there either
    hooks.push({
      ...asked,
      event,
      at: point.at ?? "PreToolUse",
      ...(matcher !== undefined && matcher !== "" && names.ok && point.matches !== null ? { matcher } : {}),
      ...(unable === undefined ? {} : { unable }),
      from: document.shown,
      where: `${document.shown} ${path.slice(2)}`,
    });
  }
  return ok({ hooks, notes });
}

/** Expressions of JavaScript may look around, which those that nothing can hang do not. */
function isExpressionThere(matcher: string | undefined): boolean {
  try {
    return new RegExp(matcher ?? "") instanceof RegExp;
  } catch {
    return false; // it is none there either
  }
}

type HookRead = Pick<SettingsHook, "command" | "args" | "http" | "task" | "timeout" | "if" | "isAsync" | "unable">;

function readHook(
  { document, place, limits, event, at }: GroupPlace,
  hook: Readonly<Record<string, unknown>>,
): Result<HookRead> {
  const { type, command, args, timeout, if: when, async, asyncRewake, shell } = hook;
  if (typeof type !== "string" || !types.includes(type))
    return document.refuse(`${at}.type`, `is ${typeOf(type)}, expected one of ${types.join(", ")}`);
  if (when !== undefined && (typeof when !== "string" || !readRule(when)))
    return document.refuse(`${at}.if`, `is ${typeOf(when)}, expected one rule such as "Bash(git *)"`);
  if (timeout !== undefined && (typeof timeout !== "number" || timeout <= 0))
    return document.refuse(`${at}.timeout`, `is ${typeOf(timeout)}, expected seconds`);
  const common = {
    ...(typeof when === "string" ? { if: when } : {}),
    ...(typeof timeout === "number" ? { timeout: Math.min(timeout, longestTimeout) } : {}),
    isAsync: async === true || asyncRewake === true,
  };
  if (type === "http") {
    const target = readHttpTarget(document, at, hook);
    if (!target.ok) return target;
    const asked = { ...common, isAsync: false, command: target.value.url, http: target.value };
    if (event === "SessionStart") return ok({ ...asked, unable: "hooks of type http are not asked there either" });
    const within = withinLimits(target.value, limits);
    return ok("unable" in within ? { ...asked, ...within } : { ...asked, http: within });
  }
  if (type === "mcp_tool" || type === "prompt" || type === "agent") {
    const read = readTask({ document, event, at }, type, hook);
    if (!read.ok) return read;
    const seconds = common.timeout ?? timeOfModels[type];
    const asked = { ...common, isAsync: false, command: describe(type, hook), ...read.value };
    return ok(seconds === undefined ? asked : { ...asked, timeout: seconds });
  }
  if (typeof command !== "string" || command.trim() === "")
    return document.refuse(`${at}.command`, `is ${typeOf(command)}, expected a command`);
  if (args !== undefined && !(Array.isArray(args) && args.every((each) => typeof each === "string")))
    return document.refuse(`${at}.args`, `is ${typeOf(args)}, expected a list of texts`);
  const home = document.scope === "user" || document.scope === "managed" ? place.env["HOME"] : undefined;
  const filled = (text: string) => withHome(text, home);
  return ok({
    ...common,
    command: filled(command),
    ...(Array.isArray(args) ? { args: args.map((each) => filled(each)) } : {}),
    ...(shell === "powershell" && args === undefined ? { unable: "there is no PowerShell here" } : {}),
  });
}

/** A program of the person lies in their home folder; the sandbox that it runs in has another. */
function withHome(text: string, home: string | undefined): string {
  return home === undefined
    ? text
    : text.replaceAll(/(^|[\s"'=])~(?=\/)/g, `$1${home}`).replaceAll(/\$\{?HOME\}?(?=\/)/g, home);
}

function describe(type: string, { server, tool, prompt }: Readonly<Record<string, unknown>>): string {
  const what = type === "mcp_tool" ? `${String(server)}.${String(tool)}` : prompt;
  return `${type}${typeof what === "string" ? `: ${what.split("\n", 1)[0]?.slice(0, 60)}` : ""}`;
}

function notesOf(
  { document, event, point, at }: GroupPlace,
  { if: when, timeout, once }: Readonly<Record<string, unknown>>,
  { unable }: Pick<HookRead, "unable">,
): readonly SettingsNote[] {
  const said: string[] = [];
  if (unable !== undefined)
    said.push(
      point.gates ? `${unable}: ${event} decides, so it denies` : `${unable}, and ${event} only observes: left out`,
    );
  if (when !== undefined && point.matches !== "tool") said.push(`a hook with "if" never runs at ${event}`);
  if (typeof timeout === "number" && timeout > longestTimeout)
    said.push(`its timeout of ${timeout} seconds is read as ${longestTimeout}`);
  if (once === true) said.push(`"once" counts in skills only, as in Claude Code`);
  return said.map((text) => document.note(at, text));
}
