import type { Result } from "#base";
import type { OpenKernel, Runtime } from "#compose";
import type { Answer, Invocation } from "./act.ts";
import { type KernelOptions, withKernel } from "./with-kernel.ts";
import { withRuntime } from "./with-runtime.ts";

/** The workspace's runtime and its kernel, opened for one command that lets runs happen in this process. */
export function withCrew<Options extends KernelOptions>(
  invocation: Invocation<Options>,
  work: (open: OpenKernel & { readonly runtime: Runtime }) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  return withRuntime(invocation, (runtime) =>
    withKernel({ ...invocation, root: runtime.root }, (open) => work({ ...open, runtime })),
  );
}
