import { basename } from "node:path";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { type NamedFiles, noNamedFiles, whyProtected, whyUnreadable } from "#governance";
import { codeThatRuns, compileGlob, type Glob, namesExplicitly } from "#governance/mandate";
import type { Capabilities, CapabilityDecision, Operation } from "./capabilities.ts";
import { type ResolvedPath, resolvePath, unicodeForms } from "./resolve-path.ts";

/** Answers what a turn of one package may do in one session. Decides; touches nothing. */
export interface CapabilityEnforcer {
  check(operation: Operation, path: string): boolean;
  enforce(operation: Operation, path: string): Result<ResolvedPath>;
  isForbidden(path: string): boolean;
  explain(operation: Operation, path: string): CapabilityDecision;
  /** Whether a program with its arguments may be started. */
  explainCommand(command: readonly string[]): CapabilityDecision;
  /** For a path that is already resolved: whether a turn may see it. */
  isVisible(path: string): boolean;
  /** What can be said of a folder without looking into it. */
  visibilityBelow(folder: string): "all" | "none" | "mixed";
  /** What a turn may see, as the package's patterns. */
  readonly visible: { readonly read: readonly string[]; readonly forbidden: readonly string[] };
  /** Hosts that the package may reach; `*` for all. */
  readonly network: readonly string[];
}

export interface EnforcerOptions {
  readonly capabilities: Capabilities;
  readonly sessionId: string;
  readonly root: string;
  /** What the workspace's configuration names, beside what is protected everywhere. */
  readonly named?: NamedFiles;
  /** A mandate is asked too, and decides about code that runs. */
  readonly ordered?: boolean;
}

/** The profile is shown only to those whose grant names it literally. */
const profile = /^(writ\.[^/]*|\.writ[^/]*)(\/|$)/i;

export function createCapabilityEnforcer(options: EnforcerOptions): Result<CapabilityEnforcer> {
  const { root, sessionId, capabilities, named = noNamedFiles } = options;
  const unreadable = (path: string) => whyUnreadable(path) ?? named.whyUnreadable(path);
  const unwritable = (path: string) => whyProtected(path) ?? named.whyProtected(path);
  const compiled: Record<Operation | "forbidden", Glob[]> = { read: [], write: [], execute: [], forbidden: [] };
  for (const list of ["read", "write", "forbidden"] as const) {
    for (const source of capabilities[list] ?? []) {
      const pattern = compileGlob(source, { sessionId });
      if (!pattern.ok) return pattern;
      compiled[list].push(pattern.value);
    }
  }
  // A command line: its first word names the program, the whole of it may be pinned.
  const executeSources = capabilities.execute?.map((each) => each.replaceAll("<session_id>", sessionId));
  const programs: Glob[] = [];
  for (const source of executeSources ?? []) {
    const pattern = compileGlob(source.replace(/^\/+/, ""), { sessionId });
    if (!pattern.ok) return pattern;
    compiled.execute.push({ ...pattern.value, source });
    const [word = ""] = source.split(" ");
    const program = compileGlob(word.replace(/^\/+/, ""), { sessionId });
    // "Any program" is no reason to show every file.
    if (program.ok && !/^[*/]+$/.test(word)) programs.push(program.value);
  }
  const seen = [...compiled.read, ...compiled.write, ...programs];

  const forbiddenBy = (path: string): Glob | undefined => {
    const forms = unicodeForms(path);
    return compiled.forbidden.find((pattern) => forms.some((form) => pattern.covers(form)));
  };
  const grantedBy = (operation: Operation, path: string): Glob | undefined =>
    compiled[operation].find((pattern) => pattern.matches(path.normalize("NFC")));

  /** A folder is read only where all of it may be; of one that is written, each file is judged when it has been. */
  const grantedBelow = (operation: Operation, folder: string): Glob | undefined =>
    compiled[operation].find((pattern) =>
      operation === "write" ? pattern.mayMatchBelow(folder) : pattern.matchesAllBelow(folder),
    );

  /** Without a mandate the package's own patterns have to name code that runs. */
  const whyUnnamedCode = (path: string): string | undefined => {
    const code = options.ordered ? undefined : codeThatRuns(path);
    if (code === undefined || compiled.write.some(({ source }) => namesExplicitly(source, path, code)))
      return undefined;
    return `${path} is code that runs (${code.why}), and no write pattern names it exactly`;
  };

  const decide = (operation: Operation, asked: string, resolved: ResolvedPath): CapabilityDecision => {
    const { path } = resolved;
    const said = { operation, asked, path };
    const why = operation === "write" ? unwritable(path) : unreadable(path);
    if (why !== undefined && !(operation === "read" && path === "" && resolved.folder))
      return {
        ...said,
        allowed: false,
        rule: { kind: "protected" },
        reason: `no turn may ${operation} ${path}: ${why}`,
      };
    const forbidden = forbiddenBy(path);
    if (forbidden)
      return {
        ...said,
        allowed: false,
        rule: { kind: "forbidden", pattern: forbidden.source },
        reason: `the forbidden pattern "${forbidden.source}" covers ${path}`,
      };
    const granted = resolved.folder ? grantedBelow(operation, path.normalize("NFC")) : grantedBy(operation, path);
    const unnamed = granted && operation === "write" ? whyUnnamedCode(path) : undefined;
    if (unnamed !== undefined) return { ...said, allowed: false, rule: { kind: "not_granted" }, reason: unnamed };
    if (granted)
      return {
        ...said,
        allowed: true,
        rule: { kind: "granted", pattern: granted.source },
        reason: `the ${operation} pattern "${granted.source}" matches ${path}`,
      };
    const count = compiled[operation].length;
    return {
      ...said,
      allowed: false,
      rule: { kind: "not_granted" },
      reason:
        count === 0
          ? `the package has no ${operation} capability`
          : `none of its ${count} ${operation} patterns matches ${path}`,
    };
  };

  const explain = (operation: Operation, asked: string): CapabilityDecision => {
    const resolved = resolvePath(root, asked.replaceAll("<session_id>", sessionId));
    if (!resolved.ok)
      return {
        operation,
        asked,
        path: null,
        allowed: false,
        rule: { kind: "outside" },
        reason: resolved.error.message,
      };
    return decide(operation, asked, resolved.value);
  };

  const literal = (path: string) =>
    compiled.read.some((pattern) => pattern.source.replaceAll("<session_id>", sessionId) === path);
  const isVisible = (path: string): boolean => {
    if (unreadable(path) !== undefined || forbiddenBy(path)) return false;
    if (profile.test(path) && !literal(path)) return false;
    return seen.some((pattern) => pattern.matches(path.normalize("NFC")));
  };

  return ok({
    network: capabilities.network ?? [],
    visible: { read: seen.map(({ source }) => source), forbidden: compiled.forbidden.map(({ source }) => source) },
    explain,
    check: (operation, path) => explain(operation, path).allowed,
    isForbidden: (path) => {
      const resolved = resolvePath(root, path.replaceAll("<session_id>", sessionId));
      return (
        !resolved.ok || unwritable(resolved.value.path) !== undefined || forbiddenBy(resolved.value.path) !== undefined
      );
    },
    enforce: (operation, path) => {
      const decision = explain(operation, path);
      if (decision.allowed && decision.path !== null) return ok({ path: decision.path, folder: path.endsWith("/") });
      return err(
        domainError(
          "CAPABILITY_VIOLATION",
          `the turn may not ${operation} ${JSON.stringify(path)}: ${decision.reason}`,
          {
            details: { operation, path, rule: decision.rule },
          },
        ),
      );
    },
    explainCommand: (command) => {
      const [program = ""] = command;
      const said = { operation: "execute" as const, asked: command.join(" "), path: program };
      const inside = resolvePath(root, program);
      const workspaceFile = program.includes("/") && inside.ok;
      if (workspaceFile && (forbiddenBy(inside.value.path) || unreadable(inside.value.path) !== undefined))
        return { ...said, allowed: false, rule: { kind: "protected" }, reason: `${inside.value.path} is forbidden` };
      // Absent is not empty: with no list at all the machine's own programs may run, files of the workspace may not.
      if (executeSources === undefined && !workspaceFile)
        return {
          ...said,
          allowed: true,
          rule: { kind: "granted", pattern: "the machine's programs" },
          reason: "a program of the machine, in the sandbox",
        };
      const forms = [
        said.asked,
        program,
        basename(program),
        program.replace(/^\/+/, ""),
        ...(workspaceFile ? [inside.value.path] : []),
      ];
      const granted = compiled.execute.find((pattern) =>
        forms.some((form) => form === pattern.source || pattern.matches(form)),
      );
      if (granted)
        return {
          ...said,
          allowed: true,
          rule: { kind: "granted", pattern: granted.source },
          reason: `the execute pattern "${granted.source}" matches`,
        };
      return {
        ...said,
        allowed: false,
        rule: { kind: "not_granted" },
        reason: `no execute pattern matches ${JSON.stringify(program)}`,
      };
    },
    isVisible,
    visibilityBelow: (folder) => {
      if (folder !== "" && (unreadable(folder) !== undefined || forbiddenBy(folder) || profile.test(folder)))
        return "none";
      const normal = folder.normalize("NFC");
      if (!seen.some((pattern) => pattern.mayMatchBelow(normal))) return "none";
      if (folder === "" || compiled.forbidden.some((pattern) => pattern.mayMatchBelow(normal))) return "mixed";
      return seen.some((pattern) => pattern.matchesAllBelow(normal)) ? "all" : "mixed";
    },
  });
}
