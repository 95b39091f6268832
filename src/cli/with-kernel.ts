import { domainError, err, ok, type Result } from "#base";
import type { OpenKernel } from "#compose";
import type { Answer, Invocation } from "./act.ts";
import { askingForTrust } from "./ask-for-trust.ts";
import { workspaceOf } from "./workspace-of.ts";

/** The option that every command of the kernel has. */
export interface KernelOptions {
  readonly store?: string;
}

export const storeOption = ["--store <where>", "sqlite:FILE or postgres://… (default: the workspace's own)"] as const;

export const leaseOption = [
  "--lease <seconds>",
  "how long others wait before they take over from a process that fell silent",
  "30",
] as const;

/** The time of a lease in milliseconds, as the option says it. */
export function leaseMsOf({ lease }: { readonly lease: string }): Result<number> {
  const seconds = Number(lease);
  if (Number.isFinite(seconds) && seconds >= 0.1) return ok(seconds * 1_000);
  return err(
    domainError("MALFORMED_INPUT", `--lease is a number of seconds, at least 0.1; found ${JSON.stringify(lease)}`),
  );
}

/** Opens the kernel for one command and closes it again, however the command ended. */
export async function withKernel<Options extends KernelOptions>(
  invocation: Invocation<Options>,
  work: (open: OpenKernel) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  const root = await workspaceOf(invocation);
  if (!root.ok) return root;
  const { openKernel } = await import("#compose");
  const { clock, random, env } = invocation.context;
  const { store } = invocation.options;
  const opened = await askingForTrust(invocation, () => openKernel({ root: root.value, store, clock, random, env }));
  if (!opened.ok) return opened;
  try {
    return await work(opened.value);
  } finally {
    await opened.value.close();
  }
}
