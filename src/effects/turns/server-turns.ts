import { domainError } from "#core/errors";
import { err, type JsonValue, type Result, type Sha256 } from "#core/values";
import type { Mandate } from "#governance/mandate";
import type { Recorder } from "#log";
import type { ProgramLayer } from "../programs/layered-program.ts";
import { executeTurn } from "./execute-turn.ts";
import { nextTurnNumber } from "./turn-number.ts";
import type { TurnService } from "./turn-service.ts";
import { asDomainError } from "./write-file-turn.ts";

/** A call to a server that writes in the workspace. */
export interface ServerCall {
  readonly server: string;
  readonly tool: string;
  /** Of its definition. */
  readonly toolHash: Sha256;
  readonly layer: ProgramLayer;
  readonly call: () => Promise<Result<JsonValue>>;
  readonly recorder: Recorder;
  readonly mandate: Mandate;
  readonly workOrderId: string;
  readonly signal: AbortSignal;
}

export interface ServerAnswer {
  readonly answer: Result<JsonValue>;
  /** Paths that the call wrote and that the session has now. */
  readonly written: readonly string[];
  /** What lies in the server's layer is what the session has. */
  readonly isSettled: boolean;
}

export type CallAsTurn = (call: ServerCall) => Promise<ServerAnswer>;

/** What a server writes while it answers is compared with its rights and the order's, and lands like the writes of any turn. */
export function serverCallAsTurn(openService: () => Promise<Result<TurnService>>): CallAsTurn {
  return async ({ server, tool, toolHash, layer, call, recorder, mandate, workOrderId, signal }) => {
    const service = await openService();
    if (!service.ok) return { answer: service, written: [], isSettled: true };
    let said: Result<JsonValue> = err(domainError("INTERNAL", `the MCP server "${server}" was not called`));
    let wasCalled = false;
    const turn = await executeTurn(service.value.deps, {
      recorder,
      capabilities: { read: ["**"], write: [...layer.writes] },
      mandate,
      handler: {
        kind: "server",
        server,
        tool,
        toolHash,
        layer,
        async call() {
          wasCalled = true;
          said = await call();
          return said;
        },
      },
      request: {
        package_id: "PKG-WRIT-MCP",
        turn_number: nextTurnNumber(recorder),
        work_order_id: workOrderId,
        query: { server, tool },
        declared_inputs: [],
        declared_outputs: [],
      },
      limits: service.value.limits,
      writes: "within_rights",
      signal,
    });
    const written = (turn.evidence.outputs ?? []).map(({ path }) => path);
    if (turn.error === null) return { answer: said, written, isSettled: true };
    // The server's own error is the answer; whether it wrote something before is in the turn's record.
    const isItsOwn = !said.ok && said.error.code === turn.error.code && said.error.message === turn.error.message;
    const wrote = turn.evidence.quarantine_id !== undefined;
    return {
      answer: isItsOwn ? said : err(asDomainError(turn.error)),
      written: [],
      isSettled: !wasCalled || (isItsOwn && !wrote),
    };
  };
}
