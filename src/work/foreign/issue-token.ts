import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Caller, canonicalJson, err, isJsonObject, ok, type Result } from "#core/values";
import type { ContractStore } from "#governance";
import type { Keyring } from "#people";
import type { OrderExplanation } from "../flow/explain-order.ts";
import type { FlowRequest } from "../flow/flow.ts";
import { type OrderNumbers, writeOrder } from "../orders/write-order.ts";
import { foreignType } from "./foreign-session.ts";
import { rightOfOrder } from "./gateway-sessions.ts";

/** What a foreign program is to have, in the words of the command line. What is not said comes from the configuration. */
export interface TokenRequest {
  /** An order that is written already; the words beside it say nothing then. */
  readonly order?: unknown;
  readonly hours: number;
  readonly note: string;
  readonly tokens?: number;
  readonly usd?: number;
  readonly calls?: number;
  /** Tools of the program that its model may ask for; absent: all that it offers, but none that the vendor runs. */
  readonly tools?: readonly string[];
  /** Models that it may name; absent: those of the profile. */
  readonly models?: readonly string[];
  readonly profile?: string;
  readonly framework?: string;
}

export interface IssuedToken {
  /** The only time that it is seen. */
  readonly token: string;
  readonly token_id: string;
  readonly work_order_id: string;
  readonly expires_at: string | null;
  readonly limits: OrderExplanation["budget"];
}

/** Programs ask far more often than agents of Writ's own; money and tokens lead. */
const defaultCalls = 1_000;
/** Where money is limited, tokens need not be: resent and cached ones are many and cost little. */
const tokensBesideMoney = 100_000_000;

interface TokenSources extends OrderNumbers {
  readonly keys: Pick<Keyring, "create">;
  readonly contractStore: Pick<ContractStore, "keepBytes" | "share">;
  localCaller(): Result<Caller>;
  explainOrder(request: FlowRequest): Promise<Result<OrderExplanation>>;
}

/** Makes a token: an API key whose only right is to be the program of one order. What the order asks for is held against its author's rights now. */
export async function issueToken(sources: TokenSources, asked: TokenRequest): Promise<Result<IssuedToken>> {
  const by = sources.localCaller();
  if (!by.ok) return by;
  const order = asked.order === undefined ? await orderOf(sources, asked) : given(asked.order);
  if (!order.ok) return order;
  const explained = await sources.explainOrder({ work_order: { ...order.value }, caller_id: by.value.id });
  if (!explained.ok) return explained;
  const lacking = explained.value.authorization.needs.find(({ granted }) => !granted);
  if (lacking)
    return err(domainError("NOT_AUTHORIZED", `${by.value.id} may not hand this order out: it needs ${lacking.right}`));
  const kept = await sources.contractStore.keepBytes(Buffer.from(canonicalJson(order.value)));
  if (!kept.ok) return kept;
  const shared = await sources.contractStore.share();
  if (!shared.ok) return shared;
  const created = await sources.keys.create(by.value, {
    caller_id: by.value.id,
    scope: [rightOfOrder(kept.value)],
    note: asked.note,
    expiresAt: sources.clock.now() + asked.hours * 3_600_000,
  });
  if (!created.ok) return created;
  const { key: token, key_id: token_id, expires_at } = created.value;
  const { work_order_id } = order.value;
  return ok({ token, token_id, work_order_id, expires_at, limits: explained.value.budget });
}

function orderOf(
  numbers: OrderNumbers,
  { hours, note, tokens, usd, calls = defaultCalls, tools, models, profile, framework }: TokenRequest,
): Promise<Result<WorkOrder>> {
  const mostTokens = tokens ?? (usd === undefined ? undefined : tokensBesideMoney);
  return writeOrder(
    {
      type: foreignType,
      input: { prompt: note, program: { tools: tools === undefined ? "any" : "granted" } },
      tools: tools ?? [],
      scope: { allowed_files: [], read_files: [], ...(models === undefined ? {} : { models: [...models] }) },
      budget: {
        ...(mostTokens === undefined ? {} : { token_limit: mostTokens }),
        ...(usd === undefined ? {} : { usd_limit: usd }),
        turn_limit: calls,
        timeout_seconds: Math.ceil(hours * 3_600),
      },
      ...(profile === undefined ? {} : { profile }),
      ...(framework === undefined ? {} : { framework_id: framework }),
    },
    numbers,
  );
}

/** An order of another type would give the token to an agent of Writ's own. */
function given(document: unknown): Result<WorkOrder> {
  if (isJsonObject(document) && document["type"] === foreignType) return ok(document as unknown as WorkOrder);
  return err(
    domainError("WORK_ORDER_INVALID", `the order of a token is of the type ${foreignType}: a program carries it out`, {
      details: { hint: `type: ${foreignType}` },
    }),
  );
}
