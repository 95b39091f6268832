import type { AppTurnActionsV1, AppTurnInputV1 } from "#core/contracts";
import type { DomainError } from "#core/errors";
import { hintOfModule, type ModuleCall } from "#core/machine";
import { ok, type Result, type Sha256 } from "#core/values";
import type { Lease } from "../kernel/records.ts";
import type { WorkContext, WorkOutcome } from "../kernel/run-worker.ts";
import type { KernelReader } from "../kernel/store/port.ts";
import type { StartedModule } from "./started-module.ts";
import type { Question, ThinkingContext } from "./thinking-app.ts";

/** Every method of the reader, so that a new one does not compile until an app in a process of its own has it too. */
const reads: { readonly [Name in keyof KernelReader]: true } = {
  run: true,
  runs: true,
  workItems: true,
  patch: true,
  patches: true,
  revision: true,
  revisions: true,
  events: true,
  unappliedPatchIds: true,
  openWork: true,
};

/** One turn of an app in its process. What it reads, keeps and thinks goes through here. */
export async function askApp(
  started: StartedModule,
  input: AppTurnInputV1,
  { run_id, failures, read, documents, think, signal }: ThinkingContext,
): Promise<AppTurnActionsV1> {
  const methods = read as unknown as Readonly<Record<string, (...args: unknown[]) => Promise<Result<unknown>>>>;
  const serve = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    const [group, method = ""] = name.split(".", 2);
    if (group === "read" && Object.hasOwn(reads, method)) return plain(await methods[method]?.(...args.map(nothing)));
    if (name === "think") return plain(await think(args[0] as Question));
    if (name === "documents.put") return plain(await documents.put(contentOf(args[0])));
    if (name === "documents.has") return plain(await documents.has(args[0] as Sha256));
    if (name === "documents.get") {
      const got = await documents.get(args[0] as Sha256);
      return got.ok ? ok({ base64: Buffer.from(got.value).toString("base64") }) : plain(got);
    }
    throw new Error(`an app has no ${name}`);
  };
  const args = [input, { run_id, failures }, Object.keys(reads)];
  return (await ask(started, { shape: "app", args, signal, serve })) as AppTurnActionsV1;
}

/** One lease in the process of a worker's module. */
export async function askHandler(
  started: StartedModule,
  lease: Lease,
  { signal, submitPatch }: WorkContext,
): Promise<WorkOutcome> {
  const serve = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    if (name !== "submitPatch") throw new Error(`a worker has no ${name}`);
    return plain(await submitPatch(args[0] as Parameters<WorkContext["submitPatch"]>[0]));
  };
  return (await ask(started, {
    shape: "handlers",
    args: [lease.capability, lease],
    signal,
    serve,
  })) as WorkOutcome;
}

/** The kernel takes an exception for the module's own, and says whose it was. */
async function ask({ process, module }: StartedModule, call: ModuleCall): Promise<unknown> {
  const { fault, ...answer } = await process.call(call);
  if (fault === undefined) {
    const { text } = answer as { readonly text: string | undefined };
    return text === undefined ? undefined : JSON.parse(text);
  }
  if (fault.kind === "not_started") throw new Error(fault.error.message);
  const hint = hintOfModule(fault.what, module, fault.tier);
  const what = fault.what.replace(/^threw: /, "");
  throw new Error(hint === undefined ? what : `${what}; ${hint}`);
}

/** JSON has no `undefined`: an argument that was left out arrives as null. */
function nothing(value: unknown): unknown {
  return value === null ? undefined : value;
}

function contentOf(sent: unknown): string | Uint8Array {
  return typeof sent === "string" ? sent : Buffer.from((sent as { readonly base64: string }).base64, "base64");
}

/** Without the exception behind an error, which may hold anything. */
function plain<T>(result: Result<T> | undefined): unknown {
  if (result === undefined || result.ok) return result;
  const { cause: _, ...error }: DomainError = result.error;
  return { ok: false, error };
}
