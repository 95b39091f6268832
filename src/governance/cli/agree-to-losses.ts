import type { Invocation } from "#core/commands";
import type { Result } from "#core/values";
import type { Agreement } from "../packages/package-installer.ts";

/** Runs a change of packages. Where it would lose what people wrote, the person at the terminal is asked; without one the refusal stands. */
export async function agreeing<T>(
  { context, options, json }: Invocation<{ readonly yes?: boolean }>,
  change: (how: Agreement) => Promise<Result<T>>,
): Promise<Result<T>> {
  const done = await change({ agreed: options.yes ?? false });
  const losses = done.ok ? undefined : done.error.details["would_lose"];
  if (!Array.isArray(losses) || !context.ask || json) return done;
  context.stderr.write(`People wrote this:\n${losses.map((path) => `  ${path}\n`).join("")}`);
  const answer = await context.ask("Take it away and keep a copy under packages/.kept/? [y/N] ");
  return /^y(es)?$/i.test(answer.trim()) ? change({ agreed: true }) : done;
}
