import { join } from "node:path";
import type { Usage } from "#agents";
import type { EvalReportV1 } from "#core/contracts";
import { tryWriting } from "#core/machine";
import { type Clock, ConcurrencyLimit, coalesce, isoTime, type Result } from "#core/values";
import { type SessionReaders, sessionReaders } from "#log";
import { type Decisions, waitingSessions } from "#people";
import { SessionCatalog } from "#proof";
import { type OpenKernel, withBlockedWork } from "#runs";
import { evalService, GatewaySessions, type HaltControl, LivePieces, OrderService } from "#work";
import { watchShadows } from "#workflows";
import { modelsOfProfile } from "#workspace";
import { usageInPeriod } from "../../agents/http/usage.ts";
import { mostBundleBytes } from "../../proof/http/bundle-of.ts";
import { type ApiParts, type ApiPartsOptions, apiParts } from "../../surface/http/api-parts.ts";
import type { Runtime } from "../parts.ts";
import { eventKinds } from "../tables/events.ts";

/** The sum of what the routes and the MCP tools use. Each of them names its own parts; the table checks them against this. */
export interface ServerParts
  extends Omit<Runtime, "close" | "decisions" | "halts">,
    SessionReaders,
    ApiParts,
    Pick<OpenKernel, "kernel" | "documents"> {
  readonly startedAt: string;
  readonly hasStudio: boolean;
  readonly publicKeyFile: string;
  readonly bundleBytes: number;
  /** Decisions of this server also resume the sessions that waited for them. */
  readonly decisions: Decisions;
  readonly waiting: () => Promise<Result<ReadonlySet<string>>>;
  readonly catalog: SessionCatalog;
  readonly usage: () => Promise<Result<Usage>>;
  readonly evals: { reports(): Promise<readonly EvalReportV1[]> };
  readonly orders: OrderService;
  /** The sessions of foreign programs. */
  readonly gateway: GatewaySessions;
  readonly halts: HaltControl;
  readonly pieces: LivePieces;
  readonly tryWriting: () => Promise<Result<number>>;
}

export interface PartLimits extends Pick<ApiPartsOptions, "callerShare" | "maxStreams"> {
  readonly maxPendingOrders: number;
  /** The longest page of a session that is sent; by default what a browser still opens. */
  readonly bundleBytes?: number | undefined;
}

export interface ServerPartsOptions extends PartLimits, Omit<ApiPartsOptions, "signing"> {
  readonly runtime: Runtime;
  readonly kernel: OpenKernel;
  readonly clock: Clock;
  readonly hasStudio: boolean;
  /** Aborts the flows of this process. */
  readonly ending: AbortSignal;
}

/** The parts of the API and of MCP. */
export function createServerParts(options: ServerPartsOptions): ServerParts {
  const { runtime, clock, onProblem, callerShare } = options;
  const { root, config, schemas, log, inbox, store } = runtime;
  const { kernel, documents } = options.kernel;
  const readers = sessionReaders({ log, schemas, clock, kinds: eventKinds });
  const { sessions, cards, texts } = readers;
  const limit = new ConcurrencyLimit({ most: options.maxPendingOrders, callerShare });
  const onLimit = (name: string) => runtime.limits.reached(name);
  const sources = { runner: runtime, store, log, clock, limit, texts, onProblem, onLimit };
  const written = coalesce(tryWriting);
  const orders = new OrderService({ ...sources, signal: options.ending });
  const decisions = runtime.decisionsThat((session_id) => orders.resumeDecided(session_id));
  return {
    ...runtime,
    ...readers,
    ...apiParts({ ...options, signing: { root, config } }, schemas),
    clock,
    startedAt: isoTime(clock.now()),
    hasStudio: options.hasStudio,
    publicKeyFile: join(root, config.signing.public_key),
    bundleBytes: options.bundleBytes ?? mostBundleBytes,
    decisions: withBlockedWork(decisions, kernel, inbox),
    waiting: sessions.derived(() => waitingSessions(inbox)),
    catalog: new SessionCatalog({
      store,
      sessions,
      log,
      clock,
      shadowsOf: (session_id, events) =>
        watchShadows(events).map((each) => ({ session_id, ...each, real: [...each.real] })),
    }),
    usage: sessions.derived((listed) => usageInPeriod(listed, { cards, config, clock })),
    evals: evalService(runtime, clock),
    orders,
    gateway: new GatewaySessions({
      ...runtime,
      modelsOf: (profile) => modelsOfProfile(config, profile),
      signal: options.ending,
    }),
    halts: runtime,
    pieces: new LivePieces(),
    tryWriting: () => written(join(root, "planes", "hot")),
    kernel,
    documents,
  };
}
