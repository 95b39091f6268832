import type { SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { type Clock, err, type Files, ok, type Random, type Result } from "#core/values";
import type { WorkspaceSecrets } from "#governance";
import type { Mandate } from "#governance/mandate";
import type { Environment, WritConfig } from "#workspace";
import { declaredServers, fillReferences, type McpServerSpec } from "#workspace";
import type { WorkspacePrograms } from "../programs/layered-program.ts";
import { type ToolRegistry } from "../tools/registry.ts";
import type { FileView } from "../turns/layer/file-view.ts";
import type { CallAsTurn } from "../turns/server-turns.ts";
import { type LoginOptions, logInToServer } from "./login/log-in.ts";
import { mcpCredentials } from "./login/mcp-credentials.ts";
import { createMcpServer, type McpServer } from "./mcp-server.ts";
import { type ToolPin } from "./pin.ts";
import { PinnedTools } from "./pinned-tools.ts";
import type { ReadText } from "./read-sources.ts";
import { type AskedSource, readServed } from "./served-sources.ts";
import { type ServedSession, type ServerProgram, serverProgram } from "./server-program.ts";
import { mayReadAll, seenBy, writesInWorkspace } from "./server-reach.ts";
import { sessionServers } from "./session-servers.ts";
import type { ToolPinStore } from "./store/tool-pin-store.ts";

/** The MCP servers of a workspace, and the approvals of their tools. */
export interface WorkspaceMcp {
  readonly servers: readonly McpServer[];
  /** As this process knows them. */
  readonly pins: () => readonly ToolPin[];
  /** Loads approvals that were given since, here or in another process. */
  adopt(): Promise<Result<void>>;
  /** Whether a tool's definition was loaded after this process began: sessions that began before must not use it. */
  isAdopted(name: string): boolean;
  /** A resource or prompt of a server, for an order that may reach it. */
  readServed(asked: AskedSource, mandate: Mandate, signal: AbortSignal): Promise<Result<readonly ReadText[]>>;
  /** Has a person log in to a server; the credentials are stored for this and later processes. */
  logIn(spec: McpServerSpec, options: Pick<LoginOptions, "show" | "signal">): Promise<Result<void>>;
  close(): Promise<void>;
}

export interface McpSurroundings {
  readonly root: string;
  readonly files: Files;
  readonly config: Pick<WritConfig, "mcp">;
  readonly env: Environment;
  readonly secrets: WorkspaceSecrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  readonly schemas: SchemaRegistry;
  readonly store: Pick<ToolPinStore, "toolPins">;
  readonly programs: WorkspacePrograms;
  /** The workspace as a session sees it. */
  readonly viewOf: (session_id: string) => FileView;
  readonly callAsTurn: CallAsTurn;
  /** Already holds Writ's own tools, whose names are taken. */
  readonly registry: ToolRegistry;
}

/**
 * Registers the approved tools from their stored definitions, without starting a server. A server starts when its tool is
 * called, or when a caller reads what it offers.
 */
export async function workspaceMcp(surroundings: McpSurroundings): Promise<Result<WorkspaceMcp>> {
  const { registry, schemas, store, env, clock, random, version, config } = surroundings;
  const reserved = registry.list().map((tool) => tool.name.split(".")[0] ?? tool.name);
  const declared = await declaredServers({ ...surroundings, config: config.mcp, reserved });
  if (!declared.ok) return declared;
  if (declared.value.length === 0) return ok(withoutServers);
  const fill = fillReferences(env, surroundings.secrets);
  const keeper = mcpCredentials({ ...surroundings, redactor: surroundings.secrets.redactor });
  // An approval of another process is loaded when the tool is next called; that call is still refused. When the store does
  // not answer, nothing is loaded and the call is refused as well.
  const approvals = standingApprovals(store, clock, () => void pinned.adopt());
  const { isApproved } = approvals;
  const { root, programs, viewOf, callAsTurn } = surroundings;
  const shared = { clock, random, root, fill, keeper, isApproved, version };
  const servers = declared.value.map((spec) => {
    const program = serverProgram({ spec, programs, fill });
    const make = (own: ServerProgram, session: ServedSession) =>
      createMcpServer({ ...shared, spec, program: own, session });
    const seen = () => seenBy(spec, root);
    const isWriter = writesInWorkspace(spec, root);
    const inSessions =
      seen().length > 0
        ? {
            callAsTurn,
            servers: sessionServers({ make, program, viewOf, clock }),
            serves: ({ mandate }: Pick<ServedSession, "mandate">) => isWriter || !mayReadAll(mandate, seen()),
          }
        : undefined;
    return createMcpServer({ ...shared, spec, program, seen, inSessions });
  });
  const pinned = new PinnedTools({ store, registry, schemas, servers });
  registry.explainAbsence((name) => {
    const absence = absenceOf(name, servers, pinned);
    if (absence) void pinned.adopt();
    return absence;
  });
  const begun = await pinned.begin();
  if (!begun.ok) return begun;
  return ok({
    servers,
    pins: () => pinned.pins,
    adopt() {
      approvals.forget(); // or a cached answer would refuse the tool that was just approved
      return pinned.adopt();
    },
    isAdopted: (name) => pinned.isAdopted(name),
    readServed: (asked, mandate, signal) => readServed(asked, mandate, { servers, signal }),
    logIn: (spec, options) => logInToServer({ spec, keeper, fill, clock, random, version, ...options }),
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  });
}

const withoutServers: WorkspaceMcp = {
  servers: [],
  pins: () => [],
  adopt: () => Promise.resolve(ok(undefined)),
  isAdopted: () => false,
  readServed: (asked, mandate, signal) => readServed(asked, mandate, { servers: [], signal }),
  logIn: ({ name }) =>
    Promise.resolve(err(domainError("NOT_FOUND", `there is no MCP server "${name}" in this workspace`))),
  close: () => Promise.resolve(),
};

/** Lifetime of the cached approvals: a revocation in another process takes effect here well within a second. */
const lookMs = 250;

function standingApprovals(
  store: McpSurroundings["store"],
  clock: Clock,
  onOther: () => void,
): { readonly isApproved: (pin: ToolPin) => Promise<Result<boolean>>; readonly forget: () => void } {
  let looked: { readonly at: number; readonly hashes: Promise<Result<ReadonlyMap<string, string>>> } | undefined;
  const look = async (): Promise<Result<ReadonlyMap<string, string>>> => {
    const pins = await store.toolPins();
    return pins.ok ? ok(new Map(pins.value.map(({ name, hash }) => [name, hash]))) : pins;
  };
  const isApproved = async ({ name, hash }: ToolPin): Promise<Result<boolean>> => {
    const now = clock.monotonic();
    if (!looked || now - looked.at > lookMs) looked = { at: now, hashes: look() };
    const hashes = await looked.hashes;
    if (!hashes.ok) return hashes;
    const standing = hashes.value.get(name);
    if (standing !== undefined && standing !== hash) onOther();
    return ok(standing === hash);
  };
  const forget = () => {
    looked = undefined;
  };
  return { isApproved, forget };
}

/** Why a tool of a declared server is not registered. */
function absenceOf(name: string, servers: readonly McpServer[], pinned: PinnedTools): DomainError | undefined {
  const server = servers.find(({ spec }) => typeof name === "string" && name.startsWith(`${spec.name}.`))?.spec.name;
  if (server === undefined) return undefined;
  return (
    pinned.misfit(name) ??
    domainError(
      "TOOL_NOT_ALLOWED",
      `the tool ${JSON.stringify(name.slice(0, 128))} of the MCP server "${server}" has not been approved; \`writ tool approve ${server}\` shows what it offers`,
      { details: { server } },
    )
  );
}
