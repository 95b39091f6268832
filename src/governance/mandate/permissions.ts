import { compileSchema, type MandateV1, type SchemaRegistry, type Validate } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { matchesText, nameMatcher } from "../paths/rights.ts";
import { type Act, clauseText, type Decision } from "./act.ts";

type Permission = MandateV1["permissions"][number];

/** The order's tool permissions: alternatives, of which the first that admits a call is charged with it. */
export interface Permissions {
  decide(act: Extract<Act, { kind: "tool" }>): Decision;
  /** A permission that names the tool has to name the origin too, in `opens`. Silence grants nothing. */
  decideOpening(act: Extract<Act, { kind: "open" }>): Decision;
}

interface Compiled extends Permission {
  readonly matches: (tool: string) => boolean;
  readonly checkArgs: Validate | undefined;
}

/** Refused: a schema of arguments that is not there or is none, for it would limit nothing. */
export function compilePermissions(permissions: readonly Permission[], schemas: SchemaRegistry): Result<Permissions> {
  const compiled: Compiled[] = [];
  for (const permission of permissions) {
    const checkArgs = argsCheck(permission, schemas);
    if (!checkArgs.ok) return checkArgs;
    compiled.push({ ...permission, matches: nameMatcher(permission.tool), checkArgs: checkArgs.value });
  }
  return ok({
    decide({ tool, args, charged }) {
      const naming = compiled.filter(({ matches }) => matches(tool));
      const refusals: string[] = [];
      for (const permission of naming) {
        const used = charged?.of(permission.path) ?? 0;
        const why = whyNotAdmitted(permission, args, used);
        if (why === undefined) return { allowed: true, clauses: [permission], reason: "", charge: permission.path };
        refusals.push(`${clauseText(permission)} ${why}`);
      }
      return {
        allowed: false,
        clauses: naming.map(({ document, path }) => ({ document, path })),
        reason: refusals.join(" and ") || `no permission of the order names ${tool}`,
      };
    },
    decideOpening({ tool, from }) {
      const naming = compiled.filter(({ matches }) => matches(tool));
      const granting = naming.filter(({ opens = [] }) => opens.some((pattern) => matchesText(pattern, from)));
      const clauses = (granting.length > 0 ? granting : naming).map(({ document, path }) => ({
        document,
        path: `${path}.opens`,
      }));
      const allowed = granting.length > 0;
      return { allowed, clauses, reason: allowed ? "" : `no permission of the order opens ${from} for ${tool}` };
    },
  });
}

function whyNotAdmitted({ max_calls, checkArgs }: Compiled, args: unknown, used: number): string | undefined {
  if (max_calls !== undefined && used >= max_calls)
    return `admits ${max_calls} ${max_calls === 1 ? "call" : "calls"}, and ${used === 1 ? "it was" : `${used} were`} made`;
  const checked = checkArgs?.(args);
  return checked === undefined || checked.ok ? undefined : `does not admit these arguments: ${checked.error.message}`;
}

function argsCheck({ args_schema, ...clause }: Permission, schemas: SchemaRegistry): Result<Validate | undefined> {
  if (args_schema === undefined) return ok(undefined);
  if (typeof args_schema === "string") {
    const known = schemas.describe(args_schema);
    return known.ok ? ok((args) => schemas.validate(args_schema, args)) : err(invalid(clause, known.error.message));
  }
  const compiled = compileOnce(args_schema);
  return compiled.ok ? compiled : err(invalid(clause, compiled.error.message));
}

/** Compiled schemas by their text: compiling takes some milliseconds, and orders of one kind carry the same ones. */
const checks = new Map<string, Validate>();
const mostChecks = 256;

function compileOnce(schema: object): Result<Validate> {
  const text = JSON.stringify(schema);
  const known = checks.get(text);
  if (known) return ok(known);
  const compiled = compileSchema(schema, { name: "args_schema" });
  if (!compiled.ok) return compiled;
  if (checks.size >= mostChecks) checks.clear();
  checks.set(text, compiled.value);
  return compiled;
}

function invalid(clause: Omit<Permission, "args_schema">, why: string): DomainError {
  return domainError("WORK_ORDER_INVALID", `${clauseText(clause)}: args_schema cannot be used: ${why}`, {
    details: { path: `${clause.path}.args_schema` },
  });
}
