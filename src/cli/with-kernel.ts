import { ok, type Result } from "#base";
import type { OpenKernel } from "#compose";
import type { Answer, Invocation } from "./act.ts";
import { askingForTrust } from "./ask-for-trust.ts";
import { numberOption } from "./number-option.ts";
import { workspaceOf } from "./workspace-of.ts";

/** What every command of the kernel looks at, of the options that all commands have. */
export interface KernelOptions {
  readonly store?: string;
}

export const leaseOption = [
  "--lease <seconds>",
  "how long others wait before they take over from a process that fell silent",
  "30",
] as const;

/** The time of a lease in milliseconds, as the option says it. */
export function leaseMsOf({ lease }: { readonly lease: string }): Result<number> {
  const seconds = numberOption("--lease", lease, { what: "a number of seconds", isFraction: true, least: 0.1 });
  return seconds.ok ? ok(seconds.value * 1_000) : seconds;
}

/** Opens the kernel for one command and closes it again, however the command ended. Without `existing` it makes a store that is not there. */
export async function withKernel<Options extends KernelOptions>(
  invocation: Invocation<Options>,
  work: (open: OpenKernel) => Promise<Result<Answer>>,
  { existing = false }: { readonly existing?: boolean } = {},
): Promise<Result<Answer>> {
  const root = await workspaceOf(invocation);
  if (!root.ok) return root;
  const { openKernel } = await import("#compose");
  const { clock, random, env } = invocation.context;
  const { store } = invocation.options;
  const place = { root: root.value, store, existing, clock, random, env };
  const opened = await askingForTrust(invocation, () => openKernel(place));
  if (!opened.ok) return opened;
  try {
    return await work(opened.value);
  } finally {
    await opened.value.close();
  }
}
