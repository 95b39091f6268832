import type { EventPayloads } from "#core/contracts";
import { ok, type Result, sha256 } from "#core/values";
import type { ContractStore, GovernanceParts } from "#governance";
import type { ExecutionContext } from "../flow/execution-context.ts";

/** The rules of the workspace in the instructions of an order's agents, and the files that they come from. */
export interface HouseRules {
  readonly text: string;
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}

export interface HouseRuleSources {
  /** Rules that the person agreed to, as far as an order may read them; null where there are none. */
  find(order: Pick<ExecutionContext, "mandate" | "work_order">): Promise<Result<HouseRules | null>>;
  /** Kept before it is recorded, so that a session that goes on sends its agents the same. */
  keep(rules: HouseRules): Promise<Result<RecordedRules>>;
  read(recorded: RecordedRules): Promise<Result<string>>;
}

type RecordedRules = NonNullable<EventPayloads["strategy.chosen"]["house_rules"]>;

/** Rules grant nothing and need no grant, but an order that may not read a file is not sent what it says either. */
export function houseRuleSources({
  houseRules,
  contractStore,
  redact,
}: Pick<GovernanceParts, "houseRules"> & {
  readonly contractStore: ContractStore;
  readonly redact: (text: string) => string;
}): HouseRuleSources {
  return {
    async find({ mandate, work_order }) {
      const found = await houseRules({
        mayRead: (path) => mandate.decide({ kind: "read", path }).allowed,
        withStyle: work_order.parent_work_order_id === undefined && work_order.input?.["hook"] === undefined,
      });
      if (!found.ok) return found;
      return ok(found.value && { ...found.value, text: redact(found.value.text) });
    },
    async keep({ text, files }) {
      const hash = sha256(text);
      const kept = await contractStore.keep([{ hash, text }]);
      const shared = kept.ok ? await contractStore.share() : kept;
      return shared.ok ? ok({ hash, files: files.map((file) => ({ ...file })) }) : shared;
    },
    async read({ hash }) {
      const brought = await contractStore.bring([hash]);
      return brought.ok ? contractStore.read(hash) : brought;
    },
  };
}
