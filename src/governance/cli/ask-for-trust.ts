import type { Invocation } from "#core/commands";
import { screenOf } from "#core/terminal";
import type { Result } from "#core/values";
import type { WorkspaceTrust } from "../trust/trust-of-workspace.ts";
import { agrees, showActs } from "./show-acts.ts";

/**
 * Opens something of a workspace. Where it is not trusted and a person is there, they see what it would do and are asked
 * once; else the refusal stands. Nothing of the workspace has been started by then.
 */
export async function askingForTrust<T>(
  { context, json }: Pick<Invocation<object>, "context" | "json">,
  open: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const opened = await open();
  if (opened.ok || opened.error.code !== "WORKSPACE_NOT_TRUSTED" || !context.ask || json) return opened;
  const untrusted = opened.error.details as unknown as WorkspaceTrust; // what the code promises
  context.stderr.write(showActs(untrusted, screenOf(context.stderr, context.env)));
  if (!(await agrees(context.ask))) return opened;
  const { trustSourcesOf } = await import("./trust-sources-of.ts");
  const sources = await trustSourcesOf(untrusted.root, context);
  if (!sources.ok) return sources;
  const { grantTrust } = await import("../trust/grant-trust.ts");
  const trusted = await grantTrust(sources.value, untrusted.digest);
  return trusted.ok ? open() : trusted;
}
