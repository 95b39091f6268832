import type { Result } from "#base";
import type { Runtime } from "#compose";
import type { Answer, Invocation } from "./act.ts";
import { askingForTrust } from "./ask-for-trust.ts";
import { workspaceOf } from "./workspace-of.ts";

/** Opens the workspace's runtime for one command and closes it again, however the command ended. */
export async function withRuntime<Options>(
  invocation: Invocation<Options>,
  work: (runtime: Runtime) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  const root = await workspaceOf(invocation);
  if (!root.ok) return root;
  const { openRuntime } = await import("#compose");
  const { clock, random, env, version, stderr } = invocation.context;
  const onNotice = (line: string) => stderr.write(`writ: ${line}\n`);
  const opened = await askingForTrust(invocation, () =>
    openRuntime({ root: root.value, clock, random, env, version, onNotice }),
  );
  if (!opened.ok) return opened;
  let answer: Result<Answer>;
  try {
    answer = await work(opened.value);
  } finally {
    const closed = await opened.value.close();
    if (!closed.ok) invocation.context.stderr.write(`writ: ${closed.error.message}\n`);
  }
  return answer;
}
