import type { KeyObject } from "node:crypto";
import { loadRegistry, type SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { nodeFiles } from "#core/machine";
import { type Clock, err, type Files, ok, type Result } from "#core/values";
import type { Framework } from "../frameworks/framework.ts";
import { frameworkReader } from "../frameworks/load-framework.ts";
import { judgeFiles } from "../gates/file-gates.ts";
import { readRegistries } from "../gates/registries.ts";
import type { FileChange } from "./decide-install.ts";
import type { HomeEvidence } from "./home.ts";
import { overlayFiles } from "./overlay-files.ts";
import type { Trust } from "./trust.ts";

/** A part of the workspace that does not load, or a gate that is shut. */
export interface Fault {
  /** A gate, or what would not load: `schemas`, `frameworks`, `skills`. */
  readonly part: string;
  readonly subject: string;
  readonly message: string;
}

/** Loads what a later place reads out of the workspace, such as skills. */
export type LoadTrial = (tree: {
  readonly root: string;
  readonly files: Files;
  readonly schemas: SchemaRegistry;
  readonly frameworks: readonly Framework[];
  readonly clock: Clock;
}) => Promise<readonly Fault[]>;

export interface TrialOptions {
  readonly clock: Clock;
  readonly schemas: SchemaRegistry;
  readonly trust: Trust;
  readonly workspaceKey: KeyObject;
  readonly trials: readonly LoadTrial[];
}

/** The workspace's evidence before and after a change, and what it builds upon. */
export interface TriedChange {
  readonly what: string;
  readonly changes: readonly FileChange[];
  readonly before: HomeEvidence;
  readonly after: HomeEvidence;
  readonly beneath: readonly HomeEvidence[];
}

/**
 * Tries a change in a copy: the gates are judged and everything is loaded over the tree as it would be. Refused is what would
 * break something that works now; a fault that is there already stays the business of its repair.
 */
export async function tryChange(change: TriedChange, options: TrialOptions): Promise<Result<void>> {
  const { root } = change.after.home;
  const then = await faultsOf(
    [change.after, ...change.beneath],
    overlayFiles(nodeFiles, root, change.changes),
    options,
  );
  if (then.length === 0) return ok(undefined);
  const now = await faultsOf([change.before, ...change.beneath], nodeFiles, options);
  const known = new Set(now.map(keyOf));
  const faults = then.filter((fault) => !known.has(keyOf(fault)));
  const [first] = faults;
  if (!first) return ok(undefined);
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  return err(
    domainError(
      "PACKAGE_REFUSED",
      `${change.what} would leave the workspace unusable, so nothing was changed: ${first.part}: ${first.message}${more}`,
      { details: { gate: first.part, findings: faults } },
    ),
  );
}

function keyOf({ part, subject, message }: Fault): string {
  return JSON.stringify([part, subject, message]);
}

async function faultsOf(
  evidence: readonly HomeEvidence[],
  files: Files,
  { clock, schemas: shipped, trust, workspaceKey, trials }: TrialOptions,
): Promise<readonly Fault[]> {
  const homes = evidence.map(({ home }) => home);
  const root = homes[0]?.root ?? "";
  const registries = await readRegistries(homes, { files, schemas: shipped });
  const faults: Fault[] = judgeFiles({ evidence, registries, trust, workspaceKey }).flatMap(({ gate, findings }) =>
    findings.map(({ subject, message }) => ({
      part: gate,
      subject,
      message: message.startsWith(subject) ? message : `${subject}: ${message}`,
    })),
  );
  const own = await loadRegistry({ files, root });
  const problems = own.ok ? [] : (own.error.details["problems"] ?? [own.error.message]);
  for (const message of problems as readonly string[]) faults.push({ part: "schemas", subject: "schemas", message });
  const schemas = own.ok ? own.value : shipped;
  const read = frameworkReader({ roots: homes.map((home) => home.root), files, schemas });
  const frameworks: Framework[] = [];
  for (const { framework_id } of registries.frameworks) {
    const framework = await read(framework_id);
    if (framework.ok) frameworks.push(framework.value);
    // A framework that is absent, a draft or retired rules nothing, which G1 judges; one that cannot be read would stop flows.
    if (!framework.ok && framework.error.code !== "FRAMEWORK_NOT_FOUND")
      faults.push({ part: "frameworks", subject: framework_id, message: framework.error.message });
  }
  for (const trial of trials) faults.push(...(await trial({ root, files, schemas, frameworks, clock })));
  return faults;
}
