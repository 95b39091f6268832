import {
  type Answer,
  type DomainError,
  domainError,
  err,
  fraction,
  type JsonObject,
  type JsonValue,
  messageOf,
  ok,
  type Random,
  type Result,
  sleep,
} from "#base";
import type { ToolProgress } from "../tool.ts";
import { type ConnectOptions, connectMcp } from "./connect.ts";
import type { McpConnection } from "./connection.ts";
import { pinStateOf, type ToolPin } from "./pin.ts";
import { readCallResult } from "./read-result.ts";
import { launchText, type McpServerSpec } from "./server-spec.ts";
import { type Offer, readOffer } from "./wire-tool.ts";

/**
 * A declared server, started when it is first needed.
 *
 *     idle ──needed──► starting ──► connected ──it ends──► waiting ──► starting …
 *                         └──failed──► waiting (longer each time)
 */
export interface McpServer {
  readonly spec: McpServerSpec;
  /** What it offers now; starts it. */
  offer(signal?: AbortSignal): Promise<Result<Offer>>;
  /** Whether the tool is what was approved, from a look that began after this was asked. */
  check(pin: ToolPin, signal?: AbortSignal): Promise<Result<void>>;
  /** Calls a tool that was just checked. */
  call(pin: ToolPin, call: McpToolCall): Promise<Result<JsonValue>>;
  /** Why the tool may not be called, as far as is known without asking the server. */
  refusal(pin: ToolPin): DomainError | undefined;
  close(): Promise<void>;
}

export interface McpToolCall {
  readonly args: JsonObject;
  readonly meta: JsonObject;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

export interface McpServerOptions
  extends Pick<ConnectOptions, "spec" | "clock" | "baseEnv" | "fill" | "keeper" | "version"> {
  readonly random: Random;
  /** Whether the approval still stands: somebody may have taken it back since this process began. */
  readonly isApproved: (pin: ToolPin) => Answer<boolean>;
}

const firstDelayMs = 250;
const longestDelayMs = 30_000;
/** The net under dispatch, which ends a call at the tool's own limit. */
const callNetMs = 660_000;

export function createMcpServer(options: McpServerOptions): McpServer {
  const { spec, clock, random } = options;
  const launch = launchText(spec);
  const closing = new AbortController();
  /** Changed once is changed until a person looks: a server that shows two faces is not believed the second. */
  const quarantine = new Map<string, DomainError>();
  let connected: Promise<Result<McpConnection>> | undefined;
  let failures = 0;
  let startableAt = 0;
  let looked: { readonly at: number; readonly connection: McpConnection; readonly offer: Offer } | undefined;
  let looking: Promise<Result<Offer>> | undefined;
  let lookingNext: Promise<Result<Offer>> | undefined;
  let lastListing = "";

  const failed = () => {
    connected = undefined;
    looked = undefined;
    failures += 1;
    startableAt = clock.monotonic() + backoff(failures, random);
  };

  const start = async (): Promise<Result<McpConnection>> => {
    const wait = startableAt - clock.monotonic();
    if (wait > 0) await sleep(clock, wait, closing.signal);
    if (closing.signal.aborted) return err(closed(spec));
    const connection = await connectMcp({
      ...options,
      onClosed: () => {
        if (!closing.signal.aborted) failed();
      },
      onToolsChanged: () => {
        looked = undefined;
      },
    });
    if (!connection.ok) failed();
    else if (closing.signal.aborted) {
      await connection.value.close();
      return err(closed(spec));
    }
    return connection;
  };

  const connect = (): Promise<Result<McpConnection>> => {
    if (closing.signal.aborted) return Promise.resolve(err(closed(spec)));
    connected ??= start();
    return connected;
  };

  const look = async (): Promise<Result<Offer>> => {
    const connection = await connect();
    if (!connection.ok) return connection;
    const at = clock.monotonic();
    const listed = await connection.value.listTools(spec.startTimeoutMs);
    if (!listed.ok) {
      // One that does not even say what it offers is started anew for whoever asks next.
      if (listed.error.code === "TOOL_TIMEOUT") await connection.value.close();
      return listed;
    }
    // The same bytes as at the last look say the same; hashing them again would cost more than the call.
    const listing = JSON.stringify(listed.value);
    const offer = looked && listing === lastListing ? looked.offer : readOffer(listed.value);
    lastListing = listing;
    looked = { at, connection: connection.value, offer };
    return ok(offer);
  };

  /** One look serves all who asked before it began; who asks later waits for the next. */
  const freshLook = (): Promise<Result<Offer>> => {
    if (looking) {
      lookingNext ??= looking.then(() => {
        lookingNext = undefined;
        return begin();
      });
      return lookingNext;
    }
    return begin();
  };
  const begin = (): Promise<Result<Offer>> => {
    const mine = look().finally(() => {
      if (looking === mine) looking = undefined;
    });
    looking = mine;
    return mine;
  };

  const refusal = (pin: ToolPin): DomainError | undefined =>
    quarantine.get(pin.hash) ?? (pin.launch === launch ? undefined : changedError(pin, "how its server is reached"));

  const judge = (pin: ToolPin, offer: Offer): Result<void> => {
    const state = pinStateOf(pin, offer.tools.get(pin.tool), launch);
    switch (state) {
      case "pinned":
        return ok(undefined);
      case "vanished":
        return err(
          domainError(
            "TOOL_NOT_FOUND",
            `the MCP server "${spec.name}" no longer offers "${pin.tool}"${why(offer, pin)}`,
            {
              details: { hint: `writ tool approve ${spec.name} takes note of it` },
            },
          ),
        );
      case "new":
      case "changed": {
        const error = changedError(pin, "its definition");
        quarantine.set(pin.hash, error);
        return err(error);
      }
    }
  };

  return {
    spec,
    refusal,
    offer: (signal) => within(freshLook(), spec, signal),
    async check(pin, signal) {
      const refused = refusal(pin);
      if (refused) return err(refused);
      const approved = await options.isApproved(pin);
      if (!approved.ok) return approved;
      if (!approved.value) return err(withdrawn(pin));
      const known = looked;
      if (known && spec.recheckMs > 0 && clock.monotonic() - known.at < spec.recheckMs) return judge(pin, known.offer);
      const offer = await within(freshLook(), spec, signal);
      return offer.ok ? judge(pin, offer.value) : offer;
    },
    async call(pin, { args, meta, signal, onProgress }) {
      // Between the check and now it may have ended, or have said that its tools changed.
      if (!looked) {
        const offer = await within(freshLook(), spec, signal);
        if (!offer.ok) return offer;
        const same = judge(pin, offer.value);
        if (!same.ok) return same;
      }
      const connection = looked?.connection;
      if (!connection) return err(domainError("TOOL_ERROR", `the MCP server "${spec.name}" ended before the call`));
      const result = await connection.callTool({
        definition: pin.definition,
        args,
        meta,
        timeoutMs: callNetMs,
        signal,
        onProgress,
      });
      if (!result.ok) return result;
      failures = 0;
      return readCallResult(pin.name, result.value, pin.definition["outputSchema"] !== undefined);
    },
    async close() {
      closing.abort();
      const connection = await connected;
      if (connection?.ok) await connection.value.close();
    },
  };
}

function changedError(pin: ToolPin, what: string): DomainError {
  return domainError(
    "TOOL_NOT_ALLOWED",
    `"${pin.name}" is not called: ${what} is no longer what was approved; look at the difference and decide with \`writ tool approve ${pin.name}\``,
    { details: { server: pin.server, tool: pin.tool, pinned: pin.hash } },
  );
}

function why(offer: Offer, pin: ToolPin): string {
  const unusable = offer.unusable.find(({ tool }) => tool === pin.tool);
  return unusable ? `: ${unusable.why}` : "";
}

function withdrawn({ name }: ToolPin): DomainError {
  return domainError(
    "TOOL_NOT_ALLOWED",
    `the approval of ${name} was taken back, or given to another definition of it`,
    {
      details: { hint: `writ tool approve ${name}` },
    },
  );
}

function closed(spec: McpServerSpec): DomainError {
  return domainError("CANCELED", `the MCP server "${spec.name}" is closed`);
}

/** A caller that is told to stop waits no longer; what is shared goes on for the others. */
async function within<T>(work: Promise<Result<T>>, spec: McpServerSpec, signal?: AbortSignal): Promise<Result<T>> {
  if (!signal) return work;
  if (signal.aborted) return err(domainError("CANCELED", `waiting for the MCP server "${spec.name}" was cancelled`));
  let stop: () => void = () => undefined;
  const stopped = new Promise<Result<T>>((resolve) => {
    stop = () =>
      resolve(err(domainError("CANCELED", `waiting for "${spec.name}" was cancelled: ${messageOf(signal.reason)}`)));
  });
  signal.addEventListener("abort", stop, { once: true });
  const first = await Promise.race([work, stopped]);
  signal.removeEventListener("abort", stop);
  return first;
}

/** Half to all of 250 ms, 500 ms, … 30 s: many that fail together do not come back together. */
function backoff(failures: number, random: Random): number {
  const full = Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1));
  return full * (0.5 + fraction(random) / 2);
}
