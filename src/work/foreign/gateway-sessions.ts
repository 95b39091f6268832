import type { WorkOrder } from "#core/contracts";
import { type DomainError, domainError, type ErrorCode, errorCodes } from "#core/errors";
import { type Caller, err, isJsonObject, ok, parseJson, type Result, sha256 } from "#core/values";
import type { FlowResult } from "../flow/execution-context.ts";
import type { FlowOptions, FlowRequest } from "../flow/flow.ts";
import { ForeignCalls } from "./foreign-session.ts";

/** What a token may do: act as the program of the order with this hash, and nothing else. */
const right = /^gateway\.order\.([0-9a-f]{64})$/;

export function rightOfOrder(hash: string): string {
  return `gateway.order.${hash}`;
}

interface GatewaySources {
  readonly keys: { authenticate(key: string): Promise<Result<Caller>> };
  readonly contractStore: { readBytes(hash: string): Promise<Result<Uint8Array>> };
  runFlow(request: FlowRequest, options: FlowOptions): Promise<FlowResult>;
  /** The models of a profile. */
  modelsOf(profile: string | undefined): readonly string[];
  /** Aborts the sessions of this process. */
  readonly signal: AbortSignal;
}

/** A session as a door sees it. */
export interface GatewaySession {
  readonly calls: ForeignCalls;
  readonly caller: Caller;
  /** The models that it may name. */
  readonly models: readonly string[];
}

interface OpenSession extends GatewaySession {
  readonly result: Promise<FlowResult>;
}

/** The sessions of foreign programs that this server holds: one for each token, from its first request to the end of its order. */
export class GatewaySessions {
  readonly #sources: GatewaySources;
  readonly #open = new Map<string, OpenSession>();
  #isClosing = false;

  constructor(sources: GatewaySources) {
    this.#sources = sources;
  }

  /** The session of a program that shows this token. It is authenticated with each request, so that one taken back opens nothing more. */
  async sessionOf(token: string | undefined): Promise<Result<GatewaySession>> {
    if (token === undefined || token === "") return err(unknownToken());
    const name = sha256(token);
    const caller = await this.#sources.keys.authenticate(token);
    if (!caller.ok) {
      if (caller.error.kind === "store") return caller;
      this.#open.get(name)?.calls.close();
      return err(unknownToken());
    }
    const { key } = caller.value;
    const [, hash] = key?.scope?.length === 1 ? (right.exec(key.scope[0] ?? "") ?? []) : [];
    if (!key || hash === undefined) return err(unknownToken());
    const known = this.#open.get(name);
    if (known) return ok(known);
    if (this.#isClosing) return err(domainError("SESSION_CLOSED", "this server is going down"));
    const order = await this.#orderOf(hash);
    if (!order.ok) return order;
    // Another request may have opened it meanwhile.
    return ok(this.#open.get(name) ?? this.#begin(name, order.value, { caller: caller.value, token_id: key.key_id }));
  }

  /** Takes nothing more, and resolves when every session has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const open = [...this.#open.values()];
    for (const { calls } of open) calls.close();
    await Promise.all(open.map(({ result }) => result));
  }

  async #orderOf(hash: string): Promise<Result<WorkOrder>> {
    const bytes = await this.#sources.contractStore.readBytes(hash);
    if (!bytes.ok) return bytes;
    const parsed = parseJson(Buffer.from(bytes.value).toString("utf8"));
    if (!parsed.ok || !isJsonObject(parsed.value))
      return err(domainError("LEDGER_CORRUPT", "the order of this token cannot be read any more"));
    return ok(parsed.value as unknown as WorkOrder);
  }

  #begin(
    name: string,
    order: WorkOrder,
    { caller, token_id }: { readonly caller: Caller; readonly token_id: string },
  ): OpenSession {
    const calls = new ForeignCalls();
    const foreign = { calls, grade: "observed", token_id } as const;
    const result = this.#sources
      .runFlow({ work_order: { ...order }, caller_id: caller.id }, { foreign, signal: this.#sources.signal })
      .then((ended) => {
        calls.end(whyEnded(ended));
        // What could not begin because the store was away may begin with the next request.
        if (ended.session_id === null || ended.session_id === undefined) this.#open.delete(name);
        return ended;
      });
    const models = [...(order.scope?.models ?? []), ...this.#sources.modelsOf(order.profile)];
    const session = { calls, caller, models: [...new Set(models)], result };
    this.#open.set(name, session);
    return session;
  }
}

function whyEnded({ status, error, error_code, session_id }: FlowResult): DomainError {
  const where = session_id ? ` (${session_id})` : "";
  if (status === "success")
    return domainError("SESSION_CLOSED", `the order of this token has ended${where}: ask for another token`);
  const code: ErrorCode =
    typeof error_code === "string" && Object.hasOwn(errorCodes, error_code)
      ? (error_code as ErrorCode)
      : "SESSION_CLOSED";
  return domainError(code, `the order of this token has ended${where}: ${error ?? status}`);
}

/** Does not say which part of the token was wrong: that would help an attacker guess it. */
function unknownToken(): DomainError {
  return domainError("NOT_AUTHENTICATED", "the token is not valid here: unknown, expired or taken back", {
    details: { hint: "writ gateway token" },
  });
}
