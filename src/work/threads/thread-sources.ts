import type { WorkOrder } from "#core/contracts";
import type { Caller, Clock, IdSource, Result, SessionId } from "#core/values";
import type { EventLog } from "#log";
import type { SealedValues } from "#log/redaction";
import type { Inbox } from "#people";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions, FlowRequest } from "../flow/flow.ts";
import type { AttachedFile, Attachment } from "../orders/attachments.ts";
import type { KeyedOrders } from "../orders/keyed-orders.ts";
import type { OrderStore } from "../orders/store/order-store.ts";
import type { OrderInput } from "../orders/write-work-order.ts";
import type { SessionControl } from "../replay/session-control.ts";
import type { ThreadStore } from "./store/thread-store.ts";
import type { History } from "./thread-ports.ts";

/** What threads are made of: the store of their messages, and the flows that carry them out. */
export interface ThreadSources extends Pick<KeyedOrders, "resumeOrder">, Pick<SessionControl, "resumeSession"> {
  readonly store: ThreadStore & Pick<OrderStore, "findOrder" | "forgetOrder">;
  readonly log: Pick<EventLog, "read" | "follow" | "locate">;
  readonly inbox: Pick<Inbox, "list">;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly seals: SealedValues;
  /** The person at this machine. */
  readonly caller: string;
  readonly restoreCaller: (caller_id: string, key_id: string) => Promise<Result<Caller | undefined>>;
  readonly history: (session_id: SessionId) => Promise<Result<History>>;
  readonly nextOrderId: () => Promise<Result<string>>;
  /** Keeps files by their content. */
  readonly keepAttachments: (files: readonly AttachedFile[]) => Promise<Result<readonly Attachment[]>>;
  readonly writeWorkOrder: (prompt: string, wanted: OrderInput) => Promise<Result<WorkOrder>>;
  readonly runFlow: (request: FlowRequest, options?: FlowOptions) => Promise<FlowResult>;
}
