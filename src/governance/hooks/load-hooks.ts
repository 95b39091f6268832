import { isAbsolute } from "node:path";
import type { HookGroupsV1, SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { type ModuleSpec, type ProgramRights, type Programs, programOfModule } from "#core/machine";
import { canonicalJson, err, type Files, ok, type Result, sha256 } from "#core/values";
import { type Environment, secretEnvironment } from "#workspace";
import { readRule } from "../claude/permissions/permission-rule.ts";
import type { SettingsHook } from "../claude/settings/settings-hooks.ts";
import type { PostJson } from "./adapters/post-json.ts";
import type { Background } from "./background.ts";
import { commandHook } from "./command-hook.ts";
import type { HookHandler } from "./hook-handler.ts";
import type { HookModules } from "./hook-modules.ts";
import type { HookOrders } from "./hook-orders.ts";
import type { HookPoint } from "./hook-point.ts";
import { hookPoints } from "./hook-points.ts";
import { httpHook } from "./http-hook.ts";
import { inside } from "./inside-workspace.ts";
import type { HasStarted } from "./is-within.ts";
import { compileMatcher } from "./matcher.ts";
import { moduleHook } from "./module-hook.ts";
import { type ShippedOptions, shippedHooks } from "./shipped-hook.ts";
import { commandHash, moduleHash, writableOfCommand, writableOfModule } from "./source-hash.ts";
import { taskHook } from "./task-hook.ts";

export interface LoadHooksOptions {
  /** The `hooks` section of writ.yaml, unchecked. */
  readonly config: unknown;
  /** The workspace, absolute, without a slash at its end. */
  readonly root: string;
  readonly files: Files;
  /** Runs programs from a snapshot that is taken here. Absent where hooks are only listed. */
  readonly programs?: Programs;
  /** Puts values in the places of references such as `${secret:NAME}`. */
  readonly fill?: (text: string) => Promise<Result<string>>;
  readonly modules: HookModules;
  readonly schemas: SchemaRegistry;
  /** Hooks of settings files of Claude Code, behind those of the configuration. */
  readonly settings?: readonly SettingsHook[];
  readonly permissionMode?: string;
  /** Asks an address. Absent where hooks are only listed. */
  readonly post?: PostJson;
  /** Carries out what hooks order for their answers. Absent where hooks are only listed. */
  readonly orders?: HookOrders;
  /** Variables, of which an address gets the values that its hook lists. */
  readonly env?: Environment;
  /** The conversation of a session so far, for programs that read it. */
  readonly transcriptOf?: (session_id: string) => Promise<string>;
  /** Whether a skill was started in a session; absent where there is no log to read. */
  readonly hasStarted?: HasStarted;
  readonly background: Background;
  /** The policies that come with Writ; in force unless `disable` names them. */
  readonly shipped?: ShippedOptions;
  /** For a hook that names no time limit itself. */
  readonly timeoutSeconds?: number | undefined;
}

type Entry = HookGroupsV1[number]["hooks"][number];

const defaultTimeoutSeconds = 60;

/** From configuration to handlers. What is written wrongly is an error; what is missing or broken is a handler that denies. */
export async function loadHooks(options: LoadHooksOptions): Promise<Result<readonly HookHandler[]>> {
  const checked = options.schemas.validate("hooks_config_v1", options.config ?? {});
  if (!checked.ok) return err(invalid(whyInvalid(options.config, checked.error.message)));
  const config = checked.value;
  const shipped = options.shipped ? await shippedHooks(options.files, options.shipped) : ok([]);
  if (!shipped.ok) return shipped;
  const disabled = config.disable ?? [];
  const strange = disabled.find((id) => !shipped.value.some((handler) => handler.id === id));
  if (strange !== undefined) {
    const names = [...new Set(shipped.value.map(({ id }) => id))].join(", ") || "nothing";
    return err(invalid(`hooks.disable names ${JSON.stringify(strange)}; Writ ships ${names}`));
  }
  const handlers = shipped.value.filter(({ id }) => !disabled.includes(id));
  for (const point of hookPoints) {
    for (const [groupIndex, group] of (config[point] ?? []).entries()) {
      const matcher = compileMatcher(group.matcher);
      if (!matcher.ok) return err(invalid(`hooks.${point}[${groupIndex}]: ${matcher.error.message}`));
      for (const [index, entry] of group.hooks.entries()) {
        const where = `hooks.${point}[${groupIndex}].hooks[${index}]`;
        const rights = { ...config.rights, ...entry.rights };
        const handler = await fromEntry({ point, matcher: group.matcher, entry, rights, where }, options);
        if (!handler.ok) return handler;
        handlers.push(handler.value);
      }
    }
    for (const settings of (options.settings ?? []).filter(({ at }) => at === point)) {
      const handler = await fromSettings(settings, config.rights ?? {}, options);
      if (!handler.ok) return handler;
      handlers.push(handler.value);
    }
  }
  return ok(handlers);
}

/** One hook as the configuration names it. `where` is its path there. */
interface ConfiguredHook {
  readonly point: HookPoint;
  readonly matcher: string | undefined;
  readonly entry: Entry;
  readonly rights: ProgramRights;
  readonly where: string;
  /** Of a settings file of Claude Code. */
  readonly settings?: SettingsHook;
}

function fromSettings(
  hook: SettingsHook,
  rights: ProgramRights,
  options: LoadHooksOptions,
): Promise<Result<HookHandler>> {
  const { at: point, matcher, command, args, timeout, if: when, isAsync, where, http, task } = hook;
  const readable = compileMatcher(matcher);
  if (!readable.ok) return Promise.resolve(err(invalid(`${where}: ${readable.error.message}`)));
  if (http) return Promise.resolve(ok(fromAddress({ ...hook, http }, options)));
  if (task) return Promise.resolve(ok(fromTask({ ...hook, task }, options)));
  const entry: Entry = {
    type: "command",
    command,
    ...(args ? { args: [...args] } : {}),
    ...(timeout === undefined ? {} : { timeout }),
    ...(when === undefined ? {} : { if: when }),
    ...(isAsync ? { async: true } : {}),
  };
  return fromEntry({ point, matcher, entry, rights, where, settings: hook }, options);
}

function fromAddress(
  hook: SettingsHook & Required<Pick<SettingsHook, "http">>,
  options: LoadHooksOptions,
): HookHandler {
  const { at: point, matcher, command, timeout, if: when, http: target } = hook;
  const { root, post, env = {}, permissionMode = "default", hasStarted } = options;
  const seconds = timeout ?? options.timeoutSeconds ?? defaultTimeoutSeconds;
  const hash = sha256(canonicalJson({ ...target, allowedEnvVars: [...target.allowedEnvVars] }));
  const common = {
    id: shortened(command),
    point,
    priority: 0,
    timeoutMs: Math.round(seconds * 1000),
    matcher,
    if: when,
  };
  return httpHook({ ...common, target, settings: hook, hash }, { post, env, root, permissionMode, hasStarted });
}

function fromTask(hook: SettingsHook & Required<Pick<SettingsHook, "task">>, options: LoadHooksOptions): HookHandler {
  const { at: point, matcher, command, timeout, if: when, task } = hook;
  const { root, orders, permissionMode = "default", hasStarted } = options;
  const timeoutMs = Math.round((timeout ?? options.timeoutSeconds ?? defaultTimeoutSeconds) * 1000);
  const common = { id: shortened(command), point, priority: 0, timeoutMs, matcher, if: when };
  const hash = sha256(canonicalJson({ ...task }));
  return taskHook({ ...common, task, settings: hook, hash }, { orders, root, permissionMode, hasStarted });
}

async function fromEntry(
  { point, matcher, entry, rights, where, settings }: ConfiguredHook,
  options: LoadHooksOptions,
): Promise<Result<HookHandler>> {
  const { root, files, background, permissionMode = "default", transcriptOf, hasStarted } = options;
  if (entry.if !== undefined && !readRule(entry.if))
    return err(invalid(`${where}.if: ${JSON.stringify(entry.if)} is no rule such as "Bash(git *)"`));
  const common = {
    point,
    priority: entry.priority ?? 0,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs: Math.round((entry.timeout ?? options.timeoutSeconds ?? defaultTimeoutSeconds) * 1000),
  };
  const wide = (rights.write ?? []).find(
    (path) => (!isAbsolute(path) && !path.startsWith("../")) || inside(root, path) !== undefined,
  );
  if (wide !== undefined)
    return err(
      invalid(
        `${where}: rights.write names ${JSON.stringify(wide)}, and a hook decides; it writes nothing in the workspace`,
      ),
    );
  const secrets = () => secretEnvironment(rights, options.fill);
  if (entry.type === "command") {
    const { command, args } = entry;
    if (command === undefined || entry.module !== undefined)
      return err(invalid(`${where}: type command needs "command" and no "module"`));
    const line = [command, ...(args ?? [])].join(" ");
    const unable = settings?.unable !== undefined;
    const writable = unable ? undefined : await writableOfCommand(files, root, line);
    if (writable !== undefined) return err(invalid(`${where}: ${whyWritable(writable)}`));
    const currentHash = () => commandHash(files, root, line);
    const hash = await currentHash();
    const words =
      args === undefined ? wordsIn(command) : [command, ...args].map((word) => inPlace(word, root)).filter(mayBePath);
    const spec = { where, words: unable ? [] : words, rights };
    const program = await options.programs?.admit(spec);
    if (program && !program.ok) return program;
    const id = entry.id ?? shortened(line);
    const described = { ...common, spec, id, command, args, if: entry.if, isAsync: entry.async, settings };
    return ok(
      commandHook(
        { ...described, hash, currentHash },
        { root, program: program?.value, secrets, permissionMode, background, transcriptOf, hasStarted },
      ),
    );
  }
  const { module } = entry;
  const ofCommands = (["args", "if", "async"] as const).find((field) => entry[field] !== undefined);
  if (ofCommands !== undefined) return err(invalid(`${where}: "${ofCommands}" belongs to hooks of type command`));
  if (module === undefined || entry.command !== undefined)
    return err(invalid(`${where}: type module needs "module" and no "command"`));
  const path = inside(root, module);
  if (path === undefined)
    return err(invalid(`${where}: the module ${JSON.stringify(module)} lies outside the workspace`));
  if (!/\.[cm]?[jt]s$/.test(path))
    return err(invalid(`${where}: the module ${JSON.stringify(module)} is neither JavaScript nor TypeScript`));
  const writable = await writableOfModule(files, root, path);
  if (writable !== undefined) return err(invalid(`${where}: ${whyWritable(writable)}`));
  const currentHash = () => moduleHash(files, root, path);
  const hash = await currentHash();
  const named: ModuleSpec = { where, path, rights };
  const spec = programOfModule(named);
  const program = await options.programs?.admit(spec);
  if (program && !program.ok) return program;
  const running = program && options.modules.processOf(named, program.value, secrets);
  const described = { ...common, id: entry.id ?? module, source: module, module: named, program: spec };
  return ok(moduleHook({ ...described, hash, currentHash }, running));
}

/** The words of a shell line, by both readings of its quotes: `"$CLAUDE_PROJECT_DIR"/check.sh` is one, `'a b'` is not two. */
function wordsIn(command: string): readonly string[] {
  const unquoted = command.replaceAll(/["'`]/g, "").split(/[\s;|&()<>]+/);
  const quoted = [...command.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, double, single]) => double ?? single ?? "");
  return [...new Set([...unquoted, ...quoted])].filter(mayBePath);
}

/** A program that is written out on the command line is no name of a file, and too long for one. */
function mayBePath(word: string): boolean {
  return word.length <= 4096 && word.split("/").every((part) => Buffer.byteLength(part) <= 255);
}

function inPlace(word: string, root: string): string {
  return word.replaceAll(/\$\{?(?:CLAUDE_PROJECT_DIR|WRIT_ROOT)\}?/g, root);
}

function whyWritable(path: string): string {
  return `${JSON.stringify(path)} lies where an agent may be allowed to write, and would be run as code: move it into hooks/`;
}

function shortened(command: string): string {
  const line = command.split("\n", 1)[0] ?? "";
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** An unknown point gets the list of those that exist: hook files of other tools have more events than Writ has points. */
function whyInvalid(config: unknown, message: string): string {
  const keys = typeof config === "object" && config !== null ? Object.keys(config) : [];
  const unknown = keys.find((key) => key !== "disable" && !(hookPoints as readonly string[]).includes(key));
  if (unknown === undefined) return `hooks: ${message}`;
  const near = hookPoints.find((point) => point.toLowerCase() === unknown.toLowerCase());
  return `hooks: there is no point ${JSON.stringify(unknown)}${near ? `; did you mean ${near}?` : `; the points are ${hookPoints.join(", ")}`}`;
}

function invalid(message: string) {
  return domainError("CONFIG_INVALID", message);
}
