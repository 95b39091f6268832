import { launchText } from "#workspace";
import { differences, launchDifferences } from "./difference.ts";
import { pinStateOf } from "./pin.ts";
import type { WorkspaceMcp } from "./workspace-mcp.ts";

/**
 * How a server's tool differs from what was approved of it, field by field; undefined where it does not. Starts the server
 * only in the way that was approved. A server that cannot be reached has not changed its tools, as far as is known.
 */
export function toolDrift(
  mcp: Pick<WorkspaceMcp, "servers" | "pins">,
): (name: string, signal: AbortSignal | undefined) => Promise<string | undefined> {
  return async (name, signal) => {
    const pin = mcp.pins().find((each) => each.name === name);
    const server = pin && mcp.servers.find(({ spec }) => spec.name === pin.server);
    if (!pin || !server) return undefined;
    const launch = launchText(server.spec);
    if (launch !== pin.launch) return shown(launchDifferences(pin, launch));
    const offer = await server.offer(signal);
    if (!offer.ok) return undefined;
    const offered = offer.value.tools.get(pin.tool);
    const state = pinStateOf(pin, offered, launch);
    if (state === "pinned") return undefined;
    if (!offered) return "its server no longer offers it";
    return shown(differences({ tool: pin.tool, state, pin, offered }, launch));
  };
}

function shown(found: ReturnType<typeof differences>): string {
  return found
    .map(({ field, approved, offered }) => `${field} was ${quoted(approved)}, now it is ${quoted(offered)}`)
    .join(", ");
}

function quoted(text: string | undefined): string {
  return text === undefined ? "not there" : JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
}
