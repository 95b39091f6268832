import type { MandateV1, SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, ok, type Result, type Sha256, sha256 } from "#core/values";
import { compileGlob, type Glob } from "../paths/glob.ts";
import { matchesText, nameMatcher } from "../paths/rights.ts";
import { type Act, type Clause, clauseText, type Decision } from "./act.ts";
import { compileCodeRule } from "./code-that-runs.ts";
import type { Narrowing } from "./compile-mandate.ts";
import { decideDelegation, decideProfile, decideSpending } from "./limits.ts";
import { compilePermissions, type Permissions } from "./permissions.ts";
import { type Extent, mayMatchBelow, readsBelow } from "./reads-below.ts";
import { settingsRulings } from "./settings-rules.ts";
import { compileSources, copySource, pathMatcher, type Sources } from "./sources.ts";
import { decideUnconfined } from "./unconfined.ts";

/** What an order may do: one immutable value that is asked before every act. Decides; touches nothing. */
export interface Mandate {
  readonly document: MandateV1;
  /** SHA-256 of the document's canonical form. */
  readonly hash: Sha256;
  decide(act: Act): Decision;
  readsBelow(folder: string): Extent;
  /** Whether anything below a folder could be written, by the patterns alone. */
  mayWriteBelow(folder: string): boolean;
  /** The same mandate with further sources that have to agree: for a persona, a package, a link of a grant. */
  narrowed(by: Narrowing): Mandate;
}

/** Makes a document that can be asked. Refused: a forbidden pattern or a schema of arguments that cannot be read. */
export function createMandate(document: MandateV1, schemas: SchemaRegistry): Result<Mandate> {
  const forbidden = compileForbidden(document.forbidden);
  if (!forbidden.ok) return forbidden;
  const permissions = compilePermissions(document.permissions, schemas);
  if (!permissions.ok) return permissions;
  const above = document.within === undefined ? ok(undefined) : createMandate(document.within, schemas);
  if (!above.ok) return above;
  return ok(mandateOver(document, { forbidden: forbidden.value, permissions: permissions.value, above: above.value }));
}

/** What a document was compiled to; a narrowed mandate shares it. */
interface Compiled {
  readonly forbidden: readonly Forbidden[];
  readonly permissions: Permissions;
  /** The mandate of the order that handed this one down. */
  readonly above: Mandate | undefined;
}

function mandateOver(document: MandateV1, compiled: Compiled): Mandate {
  const { forbidden, permissions, above } = compiled;
  const tools = compileSources(document.tools, nameMatcher);
  const read = compileSources(document.read, pathMatcher);
  const write = compileSources(document.write, pathMatcher);
  const programs = compileSources(document.programs, textMatcher);
  const hosts = compileSources(document.hosts, textMatcher);
  const models = compileSources(document.models, textMatcher);
  const decideCode = compileCodeRule(document);
  const askAboutTool = approvalRule(document, "tools", nameMatcher);
  const askAboutFile = approvalRule(document, "files", coverMatcher);
  const settings = settingsRulings(document.settings);

  const decideTool = (act: Extract<Act, { kind: "tool" }>): Decision => {
    const named = tools.decide(act.tool);
    if (!named.allowed) return { ...named, reason: doesNotGrant(named.clauses, act.tool) };
    const admitted = act.args === undefined ? named : permissions.decide(act);
    if (!admitted.allowed) return admitted;
    const charge = admitted.charge === undefined ? {} : { charge: admitted.charge };
    return { ...named, ...charge, ...askAboutTool(act.tool), ...settings.tool(act.tool, act.args) };
  };
  const whyForbidden = (path: string): Decision | undefined => {
    const denied = forbidden.find(({ glob }) => glob.covers(path));
    if (!denied) return undefined;
    return { allowed: false, clauses: [denied], reason: `${clauseText(denied)} forbids ${denied.glob.source}` };
  };
  const decidePath = (kind: "read" | "write" | "delete", asked: string): Decision => {
    const path = asked.normalize("NFC");
    const denied = whyForbidden(path);
    if (denied) return denied;
    if (kind === "read") return read.decide(path);
    const named = write.decide(path);
    const decision = named.allowed ? (decideCode(path, named) ?? named) : named;
    return decision.allowed ? { ...decision, ...askAboutFile(path), ...settings.change(path) } : decision;
  };

  const decideOwn = (act: Act): Decision => {
    switch (act.kind) {
      case "tool":
        return decideTool(act);
      case "read":
      case "write":
      case "delete":
        return decidePath(act.kind, act.path);
      case "load":
        return (
          whyForbidden(act.path.normalize("NFC")) ?? {
            allowed: true,
            clauses: [],
            reason: "no document forbids it",
            ...settings.load(act.path),
          }
        );
      case "program":
        return decideNarrowed(programs, [act.command.join(" "), act.command[0] ?? ""]);
      case "unconfined":
        return decideUnconfined(document);
      case "open":
        return permissions.decideOpening(act);
      case "host":
        return { ...decideNarrowed(hosts, [act.host]), ...settings.host(act.host) };
      case "model":
        return decideNarrowed(models, [act.model]);
      case "profile":
        return decideProfile(document, act.profile);
      case "spend":
        return decideSpending(document, act);
      case "delegate":
        return decideDelegation(document, act);
    }
  };
  const globs = forbidden.map(({ glob }) => glob);
  const ownReadsBelow = readsBelow(document.read, globs);
  const ownMayWriteBelow = mayMatchBelow(document.write, globs);

  return {
    document,
    hash: sha256(canonicalJson(document)),
    decide(act) {
      const own = decideOwn(act);
      return above === undefined || !own.allowed ? own : both(own, above.decide(asAbove(act)));
    },
    readsBelow(folder) {
      const own = ownReadsBelow(folder);
      return above === undefined || own === "none" ? own : narrower(own, above.readsBelow(folder));
    },
    mayWriteBelow: (folder) => ownMayWriteBelow(folder) && (above?.mayWriteBelow(folder) ?? true),
    narrowed: (by) => mandateOver(withSources(document, by), compiled),
  };
}

/** What an order below has done counts above as well; it hands down one level deeper than the order above sees. */
function asAbove(act: Act): Act {
  if (act.kind !== "tool" || act.charged === undefined) return act;
  const { charged, ...call } = act;
  return charged.above === undefined ? call : { ...call, charged: charged.above };
}

/** An order that was handed down acts by its own mandate and by the one above. */
function both(own: Decision, above: Decision): Decision {
  if (!above.allowed) return above;
  const code = own.code_that_runs ?? above.code_that_runs;
  const approval = own.approval ?? above.approval;
  return {
    allowed: true,
    clauses: [...own.clauses, ...above.clauses],
    reason: [own.reason, above.reason].filter(Boolean).join(" ∩ "),
    ...(code === undefined ? {} : { code_that_runs: code }),
    ...(own.charge === undefined ? {} : { charge: own.charge }),
    ...(approval === undefined ? {} : { approval }),
    above,
  };
}

function narrower(own: Extent, above: Extent): Extent {
  if (above === "none") return "none";
  return own === "all" ? above : own;
}

const textMatcher = (pattern: string) => (text: string) => matchesText(pattern, text);

/** Asks about a file as `forbidden` refuses one: with everything below a folder, in any case, and about all where it cannot be read. */
function coverMatcher(pattern: string): (path: string) => boolean {
  const glob = compileGlob(pattern, { ignoreCase: true });
  return glob.ok ? (path) => glob.value.covers(path) : () => true;
}

type Forbidden = Clause & { readonly glob: Glob };

/** A forbidden pattern that cannot be read would forbid nothing, so the order is refused. */
function compileForbidden(clauses: MandateV1["forbidden"]): Result<readonly Forbidden[]> {
  const forbidden: Forbidden[] = [];
  for (const { document, path, patterns } of clauses) {
    for (const pattern of patterns) {
      const glob = compileGlob(pattern, { ignoreCase: true });
      if (!glob.ok)
        return err(
          domainError("WORK_ORDER_INVALID", `${clauseText({ document, path })}: ${glob.error.message}`, {
            details: { path },
          }),
        );
      forbidden.push({ document, path, glob: glob.value });
    }
  }
  return ok(forbidden);
}

/** Kinds of acts that documents only narrow: without a source the mechanism that carries the act out decides alone. */
function decideNarrowed(sources: Sources, forms: readonly string[]): Decision {
  if (sources.count === 0) return { allowed: true, clauses: [], reason: "no document narrows it" };
  const decisions = forms.map((form) => sources.decide(form));
  return decisions.find(({ allowed }) => allowed) ?? decisions[0] ?? { allowed: false, clauses: [], reason: "" };
}

function doesNotGrant(clauses: readonly Clause[], name: string): string {
  return `${clauses.map(clauseText).join(" and ")} ${clauses.length > 1 ? "do" : "does"} not grant ${name}`;
}

function approvalRule(
  { approvals }: MandateV1,
  list: "tools" | "files",
  matcherOf: (pattern: string) => (name: string) => boolean,
): (name: string) => Pick<Decision, "approval"> {
  const rules = approvals.map((rule) => ({ ...rule, matchers: (rule[list] ?? []).map(matcherOf) }));
  return (name) => {
    const rule = rules.find(({ matchers }) => matchers.some((matches) => matches(name)));
    return rule ? { approval: { document: rule.document, path: rule.path, reason: rule.reason } } : {};
  };
}

function withSources(document: MandateV1, by: Narrowing): MandateV1 {
  const added = (kind: keyof Narrowing) => [...document[kind], ...(by[kind] ?? []).map(copySource)];
  return {
    ...document,
    tools: added("tools"),
    read: added("read"),
    write: added("write"),
    programs: added("programs"),
    hosts: added("hosts"),
    models: added("models"),
  };
}
