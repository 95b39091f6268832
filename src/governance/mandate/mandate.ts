import type { MandateV1, SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, ok, type Result, type Sha256, sha256 } from "#core/values";
import { compileGlob, type Glob } from "../paths/glob.ts";
import { matchesText, nameMatcher } from "../paths/rights.ts";
import { type Act, type Clause, clauseText, type Decision } from "./act.ts";
import { compileCodeRule } from "./code-that-runs.ts";
import type { Narrowing } from "./compile-mandate.ts";
import { compilePermissions, type Permissions } from "./permissions.ts";
import { type Extent, mayMatchBelow, readsBelow } from "./reads-below.ts";
import { compileSources, copySource, pathMatcher, type Sources } from "./sources.ts";

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
  return permissions.ok ? ok(mandateOver(document, forbidden.value, permissions.value)) : permissions;
}

function mandateOver(document: MandateV1, forbidden: readonly Forbidden[], permissions: Permissions): Mandate {
  const tools = compileSources(document.tools, nameMatcher);
  const read = compileSources(document.read, pathMatcher);
  const write = compileSources(document.write, pathMatcher);
  const programs = compileSources(document.programs, textMatcher);
  const hosts = compileSources(document.hosts, textMatcher);
  const models = compileSources(document.models, textMatcher);
  const decideCode = compileCodeRule(document);
  const askAboutTool = approvalRule(document, "tools", nameMatcher);
  const askAboutFile = approvalRule(document, "files", pathMatcher);

  const decideTool = (act: Extract<Act, { kind: "tool" }>): Decision => {
    const named = tools.decide(act.tool);
    if (!named.allowed) return { ...named, reason: doesNotGrant(named.clauses, act.tool) };
    const admitted = act.args === undefined ? named : permissions.decide(act);
    if (!admitted.allowed) return admitted;
    const charge = admitted.charge === undefined ? {} : { charge: admitted.charge };
    return { ...named, ...charge, ...askAboutTool(act.tool) };
  };
  const decidePath = (kind: "read" | "write" | "delete", asked: string): Decision => {
    const path = asked.normalize("NFC");
    const denied = forbidden.find(({ glob }) => glob.covers(path));
    if (denied)
      return { allowed: false, clauses: [denied], reason: `${clauseText(denied)} forbids ${denied.glob.source}` };
    if (kind === "read") return read.decide(path);
    const named = write.decide(path);
    const decision = named.allowed ? (decideCode(path, named) ?? named) : named;
    return decision.allowed ? { ...decision, ...askAboutFile(path) } : decision;
  };

  return {
    document,
    hash: sha256(canonicalJson(document)),
    decide(act) {
      switch (act.kind) {
        case "tool":
          return decideTool(act);
        case "read":
        case "write":
        case "delete":
          return decidePath(act.kind, act.path);
        case "program":
          return decideNarrowed(programs, [act.command.join(" "), act.command[0] ?? ""]);
        case "open":
          return permissions.decideOpening(act);
        case "host":
          return decideNarrowed(hosts, [act.host]);
        case "model":
          return decideNarrowed(models, [act.model]);
      }
    },
    readsBelow: readsBelow(
      document.read,
      forbidden.map(({ glob }) => glob),
    ),
    mayWriteBelow: mayMatchBelow(
      document.write,
      forbidden.map(({ glob }) => glob),
    ),
    narrowed: (by) => mandateOver(withSources(document, by), forbidden, permissions),
  };
}

const textMatcher = (pattern: string) => (text: string) => matchesText(pattern, text);

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
