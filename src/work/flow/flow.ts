import type {
  AgentContext,
  AgentLimits,
  AttentionService,
  Budgeter,
  BudgetLimits,
  BudgetScope,
  CallCounter,
  MissingTool,
  Router,
  Skills,
  ToolOffer,
} from "#agents";
import type { FlowRequestV1, MandateV1, SchemaRegistry, ToolInvokeEventV1, WorkOrder } from "#core/contracts";
import type { DomainError } from "#core/errors";
import type { Caller, Clock, Files, IdSource, JsonObject, Result, SessionId } from "#core/values";
import type { AcceptanceCheck, CallCharges, CheckOutcome, Landing, PendingWrites, ToolProgress } from "#effects";
import type { Framework, GovernanceParts, Hooks } from "#governance";
import type { Mandate } from "#governance/mandate";
import type { DeclaredTools, ReadSession } from "#governance/values";
import type { Event, EventKinds, EventLog, RecordedHistory, SessionLog } from "#log";
import type { SealedValues } from "#log/redaction";
import type { Authorization, Inbox, OrderToWeigh } from "#people";
import type { KeptWorkflows } from "#workflows";
import type { ForeignSession } from "../foreign/foreign-session.ts";
import type { Halts } from "../halts/halts.ts";
import type { ModelCalls } from "../model-calls/model-calls.ts";
import type { HandDowns } from "../strategies/hand-downs.ts";
import type { HookNotes } from "../strategies/hook-notes.ts";
import type { HouseRuleSources } from "../strategies/house-rules.ts";
import type { RiskSources } from "../strategies/order-risks.ts";
import type { Reviewers } from "../strategies/reviewers.ts";
import type { DecomposeLimits, StepStrategy } from "../strategies/step-strategy.ts";
import type { StreamPart } from "../threads/stream-part.ts";
import type { ThreadPlace } from "../threads/thread-place.ts";
import type { ThreadPort } from "../threads/thread-ports.ts";
import type { ApertureRule } from "./aperture.ts";
import type { Dispatch } from "./dispatch-port.ts";
import type { ExecutionContext, FlowResult } from "./execution-context.ts";
import type { InterruptedOrder, OrderBook } from "./order-book.ts";
import type { RecoveryRules, RecoveryState } from "./recovery.ts";
import type { Did, SessionTally } from "./watch-session.ts";

/** What the flow runner needs; it owns none of it. */
export interface FlowDependencies {
  readonly log: Pick<EventLog, "create">;
  readonly schemas: SchemaRegistry;
  /** The replay keys by which a resumed session finds its recorded events. */
  readonly eventKinds: EventKinds;
  readonly hooks: Hooks;
  /** Keeps the folder of a skill as a session starts it, so that turns run its scripts as they are now. */
  readonly keepSkill: (session_id: string, source: string) => Result<void>;
  readonly budgeter: Budgeter;
  /** Whether other processes spend from the same budget: what a session holds of it must be known to them if it dies. */
  readonly sharesBudget: boolean;
  readonly attention: AttentionService;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly config: FlowConfig;
  /** A keyed hash, for text that may contain a secret: it cannot be guessed without the key. */
  readonly keyedHash: (text: string) => string;
  /** What the configuration runs in a weaker tier, for the beginning of each record. */
  readonly weakerTiers?: string | undefined;
  /** The redactor of the log. Text is redacted before it is hashed. */
  readonly redact: <T>(value: T) => T;
  /** What redaction takes out of an order and a later act needs. */
  readonly seals: SealedValues;
  /** Reads a framework and checks its required gates; `GATE_DENIED` when one is closed. */
  readonly resolveFramework: (framework_id: string) => Promise<Result<Framework>>;
  /** Checks the same gates again before a result counts: the contracts must not have been edited meanwhile. */
  readonly confirmGates: (framework: Framework) => Promise<Result<void>>;
  /** The caller: the one that the server authenticated, else a caller known to the workspace, else an error. */
  readonly authenticate: (request: FlowRequest, recognised: Caller | undefined) => Result<Caller>;
  /** Whether this caller may submit this order, and by which right. */
  readonly authorize: (caller: Caller, asked: OrderToWeigh) => Result<Authorization>;
  /** Takes a use of each link by which the order acts; an error when one has none left. */
  readonly takeUses: (work_order_id: string, authorization: Authorization) => Promise<Result<void>>;
  /** The router of a profile; in development mode always the scripted one. */
  /** The limit on money of an order that states none. */
  readonly usdLimitFor: (profile: string | undefined) => number | undefined;
  readonly routerFor: (profile: string | undefined, dev_mode: boolean) => Promise<Result<Router>>;
  readonly workflows: KeptWorkflows;
  /** Where a flow puts questions for people. */
  readonly inbox: Pick<Inbox, "ask">;
  readonly orders: OrderBook;
  readonly halts: Halts;
  /** Whether the disk has room for new work. */
  readonly hasRoom: () => Result<void>;
  /** Counts a limit that holds a flow back. */
  readonly limitReached: (limit: string) => void;
  readonly skills: Skills;
  readonly houseRules: HouseRuleSources;
  readonly claudePermissions: GovernanceParts["claudePermissions"];
  /** What makes an order one that another agent looks at first. */
  readonly risks: RiskSources;
  /** Who judges the work of an order's agent. */
  readonly reviewers: Reviewers;
  readonly toolOffers: (isAllowed: (name: string) => boolean) => readonly ToolOffer[];
  /** Whether a tool says that it changes nothing. */
  readonly isReadOnly: (tool: string) => boolean;
  /** What a program says of the arguments of the tools that it brings along. */
  readonly declaredTools: () => DeclaredTools;
  /** What people declared of tools when they approved them. */
  readonly approvedTools: () => NonNullable<NonNullable<MandateV1["values"]>["approved"]>;
  /** The tools of a skill that are not available, each with the reason. */
  readonly missingTools: (wanted: readonly string[]) => readonly MissingTool[];
  readonly dispatch: Dispatch;
  readonly rolePrompt: AgentContext["rolePrompt"];
  /** The hashes of the contracts in force; recorded at `session.start`. */
  readonly pinned: (framework_id: string) => Promise<Result<Readonly<Record<string, string>>>>;
  /** Custom strategies by type of work order; used if `multi_step_enabled`. */
  readonly strategies: Readonly<Record<string, StepStrategy>>;
  /** Ids for orders that a flow makes. */
  readonly nextOrderId: () => Promise<Result<string>>;
  /** Where the agents of a flow hand orders down. */
  readonly handDowns: HandDowns;
  /** The log of refusals without a session. */
  readonly intake: Intake;
  /** What the order of a session has written and not landed, redacted. */
  readonly threads: ThreadPort;
  /** Another session's record, where values of this one may come from it. */
  readonly readSession: ReadSession;
  readonly pendingWrites: (session_id: string) => Promise<PendingWrites | undefined>;
  /** Where the order's writes wait until it is accepted. */
  readonly landing: Landing;
  /** The workspace as a session sees it; undefined where its order has written nothing. */
  readonly filesOf: (session_id: string) => Files | undefined;
  /** Files below a folder as a session sees it, at most so many. */
  readonly filesBelow: (folder: string, session_id: string, most: number) => readonly string[];
  /** A file that the order declared, as its session sees it. Files that hold secrets are refused. */
  readonly readFile: (
    path: string,
    session_id?: string,
  ) => Promise<Result<{ readonly bytes: Uint8Array; readonly hash: string }>>;
  /** What is attached to an order or a message, for its agents. */
  readonly openAttachments: (attachments: unknown) => Promise<Result<NonNullable<AgentContext["attached"]>>>;
  /** A picture that a session's agent read, kept by its hash. */
  readonly pictureOf: (session_id: string) => NonNullable<AgentContext["pictureOf"]>;
  /** Runs the one turn of an order of type `turn`. */
  readonly runTurn: (turn: JsonObject, order: TurnOrder) => Promise<Result<StrategyOutcome>>;
  /** Runs an acceptance command as a sandboxed turn; an error without a sandbox. */
  readonly runCheck: (check: AcceptanceCheck) => Promise<Result<CheckOutcome>>;
}

export interface TurnOrder {
  readonly context: ExecutionContext;
  readonly session: SessionLog;
  readonly signal: AbortSignal;
}

/** A parsed request. Its order is not validated yet. */
export type FlowRequest = FlowRequestV1;

export interface FlowConfig {
  readonly default_budget: BudgetLimits;
  readonly max_concurrent_flows: number;
  readonly execution_timeout_seconds: number;
  /** Further names of the class code-that-runs. */
  readonly code_names?: readonly string[];
  readonly agents: AgentLimits;
  readonly aperture: readonly ApertureRule[];
  readonly recovery: RecoveryRules;
  readonly delegation: { readonly max_depth: number; readonly max_fan_out: number };
  readonly decompose: DecomposeLimits;
  /** The most that context may take of an order's tokens. */
  readonly context_share: number;
  readonly v2_features: {
    readonly multi_step_enabled: boolean;
    readonly aperture_enabled: boolean;
    readonly delegation_enabled: boolean;
    readonly recovery_enabled: boolean;
  };
}

/** The log on `hot` for orders refused before they had a session. */
export interface Intake {
  reject(entry: {
    readonly work_order_id: string;
    readonly caller_id: string;
    readonly error: DomainError;
    readonly request_hash: string;
  }): Promise<Result<Event<"wo.rejected">>>;
}

/** The parent flow of a child order, and the budget that it shares. */
export interface ParentFlow {
  readonly session_id: string;
  readonly budget: BudgetScope;
  readonly depth: number;
  /** What it may do: its children may do no more. */
  readonly mandate: Mandate;
  /** Its tool permissions are charged with its children's calls too. */
  readonly charges: CallCharges;
  /** Stops them with it, to be resumed together. */
  readonly interrupt?: AbortSignal | undefined;
  /** Takes what a child did, before its end is recorded. */
  readonly report: (work_order_id: string, did: Did) => void;
  /** The ancestor sessions, topmost first: a halt of any of them stops this one. */
  readonly ancestors: readonly string[];
}

/** A recorded call of an order that was handed down, so many levels below the order that is charged with it. */
export interface CallBelow {
  readonly invoke: ToolInvokeEventV1;
  readonly level: number;
}

/** A child order, and the session id reserved for it. */
export interface HandedDown {
  readonly work_order_id: string;
  readonly session_id: SessionId;
  readonly order: WorkOrder;
}

/** The state of a child order that was made before the flow stopped: its result, or the session in which it runs. */
export type ResumeChild = (
  child: HandedDown,
  options: { readonly parent: ParentFlow; readonly signal: AbortSignal },
) => Promise<Result<FlowResult | { readonly session_id?: SessionId }>>;

/** The event at which a fork left its parent, and the history that it inherits. */
export interface ForkPoint {
  readonly session_id: string;
  readonly seq: number;
  readonly hash: string;
  readonly past: RecordedHistory;
  /** Turns of that history whose writes waited to land. */
  readonly written: readonly string[];
  /** Calls of the orders that its parent had handed down by then. */
  readonly callsBelow: readonly CallBelow[];
  /** Resolves the child orders that its parent had made by then. */
  readonly resumeChild: ResumeChild;
}

export interface FlowOptions {
  /** The caller that the server authenticated by an API key. Absent: the request's `caller_id` on this machine. */
  readonly caller?: Caller;
  readonly parent?: ParentFlow;
  /** The mandate that bounds this order where it is no child of a running flow: of the open order that a turn runs under. */
  readonly within?: MandateV1 | undefined;
  /** The session of which a hook asks, and which waits for this order: it runs in that one's slot and sees what it has written. */
  readonly hookOf?: string;
  /** The message of a thread that the order is. */
  readonly thread?: ThreadPlace;
  /** The calls of the program that leads an order of the type `program`. */
  readonly modelCalls?: ModelCalls;
  /** The requests of the program that leads an order of the type `foreign`, and what is known of it. */
  readonly foreign?: ForeignSession;
  readonly fork?: ForkPoint;
  /** The session id, if it was reserved before. */
  readonly session_id?: SessionId;
  /** The order was made just now under a new number, so it cannot have been submitted before. */
  readonly fresh?: boolean;
  /** The order is a part of work that is under way: a disk that is nearly full does not refuse it. */
  readonly goesOn?: boolean;
  /** Handles an order that another process began and did not end; without it the submission is refused. */
  readonly resumeInterrupted?: (begun: InterruptedOrder) => Promise<Result<FlowResult>>;
  readonly signal?: AbortSignal;
  /** Aborted together with the signal by a process that is to end: the flow stops, and its session stays open to be resumed. */
  readonly interrupt?: AbortSignal;
  /** Called for every event of the session when it is recorded. */
  readonly onEvent?: (event: Event) => void;
  /** Called with the text of an answer as it comes. */
  readonly onText?: (role: string, delta: string) => void;
  /** Called with everything that people are shown while it runs, in its order. */
  readonly onPart?: (part: StreamPart) => void;
  /** Called with the progress messages of a long tool call. */
  readonly onProgress?: (call_id: string, progress: ToolProgress) => void;
}

/** A flow as this process watches it. */
export interface WatchedFlow extends FlowOptions {
  /** The same as `onEvent`, but no caller learns of an event by it. */
  readonly watcher?: (event: Event) => void;
}

/** The state that the steps pass on. */
export interface FlowState {
  readonly request: FlowRequest;
  readonly session: SessionLog;
  readonly signal: AbortSignal;
  readonly interrupt: AbortSignal | undefined;
  readonly onPart: FlowOptions["onPart"];
  /** Whether someone learns what is recorded while the flow runs. */
  readonly isFollowed: boolean;
  readonly onProgress: FlowOptions["onProgress"];
  readonly modelCalls: ModelCalls | undefined;
  readonly foreign: ForeignSession | undefined;
  readonly parent: ParentFlow | undefined;
  readonly within: MandateV1 | undefined;
  readonly hookOf: string | undefined;
  /** What the orders below called before this flow stopped: its permissions are charged with it again. */
  readonly callsBelow: readonly CallBelow[];
  readonly run: (request: FlowRequest, options?: FlowOptions) => Promise<FlowResult>;
  /** Present when the flow is resumed. */
  readonly resumeChild: ResumeChild | undefined;
  /** The child orders of this flow. */
  readonly children: string[];
  /** How many orders it was allowed to hand down; counted before their numbers are known. */
  readonly handedDown: { count: number };
  readonly calls: CallCounter;
  /** What the session has done so far. */
  readonly tally: SessionTally;
  readonly recovery: RecoveryState;
  /** What was tried before the last review. */
  readonly tried: {
    gates?: {
      /** The files that the order had changed by then. */
      readonly files: string;
      readonly results: ReadonlyMap<string, Event<"acceptance.checked">["payload"]["gate_results"][number]>;
    };
  };
  /** What the record of a resumed session says that its agents were given. */
  /** Whether its roles are handed the request and the evidence: not in a session that began before they were. */
  readonly handsRequest: boolean;
  readonly thread: ThreadPlace | undefined;
  readonly recordedStart:
    | {
        readonly prompt_contracts?: readonly string[];
        readonly instructions?: readonly string[];
        readonly mandate?: MandateV1;
        readonly mandate_hash?: string;
      }
    | undefined;
  /** What hooks said for its agents. */
  readonly hookNotes: HookNotes;
  readonly order: WorkOrder;
  readonly prompt: string;
}

/** The result of a strategy. */
export interface StrategyOutcome {
  readonly response: string;
  readonly verdict: string | null;
  /** Why an existing answer does not count as success. */
  readonly error: DomainError | null;
  /** What was refused or failed, where the answer is partial. */
  readonly undone?: NonNullable<FlowResult["undone"]>;
}
