import type { MandateV1, WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Framework } from "../frameworks/framework.ts";
import { type DeclaredTools, withDeclaredTools } from "../values/declared-tools.ts";
import { isShippedPack } from "../values/packs.ts";

type Values = NonNullable<MandateV1["values"]>;
type Packs = NonNullable<Values["packs"]>;

interface ValueSources {
  readonly order: Pick<WorkOrder, "work_order_id"> & { readonly values?: OrderValues };
  readonly framework: Pick<Framework, "manifest">;
  readonly within?: MandateV1 | undefined;
  /** The policies that are named, as they stand now. */
  readonly packs?: Packs | undefined;
  /** What programs say of their own tools. */
  readonly declaredTools?: DeclaredTools | undefined;
}

interface OrderValues {
  readonly pack?: string;
  readonly rules?: NonNullable<Values["added"]>[number]["rules"];
}

/** What an order's values are judged by. An order below is judged as the one above is, and may only add rules of its own. */
export function valuesOfOrder(sources: ValueSources): Pick<MandateV1, "values"> {
  const base = judgedBy(sources);
  if (base === undefined) return {};
  const { work_order_id, values: { rules = [] } = {} } = sources.order;
  if (rules.length === 0) return { values: base };
  const own = { document: `work order ${work_order_id}`, path: "values.rules", rules: [...rules] };
  return { values: { ...base, added: [...(base.added ?? []), own] } };
}

function judgedBy({
  order,
  framework: { manifest },
  within,
  packs = [],
  declaredTools = {},
}: ValueSources): Values | undefined {
  const above = within?.values;
  if (above !== undefined && above.rights.pack !== "off") return above;
  if (manifest.values === undefined) return undefined;
  const rights = withDeclaredTools(manifest.values, declaredTools);
  const chosen = order.values?.pack;
  const isOther = chosen !== undefined && chosen !== rights.pack;
  const clause = { document: `work order ${order.work_order_id}`, path: "values.pack", pack: rights.pack };
  const values: Values = {
    document: `framework ${manifest.framework_id}`,
    path: "values",
    rights: isOther ? { ...rights, pack: chosen } : rights,
    ...(isOther ? { chosen: clause } : {}),
  };
  const named = namedPacks(values.rights);
  const pinned = packs.filter(({ id }) => named.includes(id));
  return pinned.length === 0 ? values : { ...values, packs: pinned };
}

/** The policies that judge or watch, besides what ships. */
export function namedPacks({ pack, shadow = [] }: Values["rights"]): readonly string[] {
  return [...new Set([pack, ...shadow])].filter((each) => each !== "off" && !isShippedPack(each));
}

/** Whether the order may name the pack that it names, and whose rules it is judged by then. */
export function choosePack({ order, framework: { manifest }, within }: ValueSources): Result<readonly string[]> {
  const { values: rights } = manifest;
  const chosen = order.values?.pack;
  const isBelow = within?.values !== undefined && within.values.rights.pack !== "off";
  if (chosen !== undefined && (isBelow || (chosen !== rights?.pack && !rights?.packs?.includes(chosen)))) {
    const why = isBelow
      ? "it was handed down, and is judged as the order above it is: it may only add rules"
      : `the framework ${manifest.framework_id} lists ${rights?.packs?.join(", ") ?? "none"} in values.packs`;
    return err(
      domainError("NOT_AUTHORIZED", `the order may not be judged by the pack ${chosen}: ${why}`, {
        details: { hint: isBelow ? "leave values.pack out" : "name a pack that the framework allows" },
      }),
    );
  }
  if (isBelow || rights === undefined) return ok([]);
  return ok(namedPacks(chosen === undefined ? rights : { ...rights, pack: chosen }));
}
