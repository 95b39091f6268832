import type { MandateV1, WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Framework } from "../frameworks/framework.ts";
import { nameMatcher } from "../paths/rights.ts";
import { unsaidRights } from "../values/declarations.ts";
import { type DeclaredTools, withDeclaredTools } from "../values/declared-tools.ts";
import { isShippedPack } from "../values/packs.ts";

type Values = NonNullable<MandateV1["values"]>;
type Approved = NonNullable<Values["approved"]>;
type Packs = NonNullable<Values["packs"]>;

interface ValueSources {
  readonly order: Pick<WorkOrder, "work_order_id" | "tool_permissions"> & { readonly values?: OrderValues };
  readonly framework: Pick<Framework, "manifest">;
  readonly within?: MandateV1 | undefined;
  /** The policies that are named, as they stand now. */
  readonly packs?: Packs | undefined;
  /** What programs say of their own tools. */
  readonly declaredTools?: DeclaredTools | undefined;
  /** What people declared of tools when they approved them. */
  readonly approvedTools?: Approved | undefined;
  /** The session began when values were judged only where a framework said so. */
  readonly valuesUnjudged?: boolean;
}

/** Who says it where a framework says nothing. */
const unsaid = { document: "Writ", path: "" };

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

function judgedBy(sources: ValueSources): Values | undefined {
  const found = rightsOver(sources);
  const { order, within, approvedTools = {} } = sources;
  // What was handed down is judged as the order above is.
  if (found === undefined || found.rights.pack === "off" || found === within?.values) return found;
  const matchers = (order.tool_permissions ?? []).map((each) =>
    nameMatcher(typeof each === "string" ? each : each.tool),
  );
  const its = Object.entries(approvedTools).filter(([tool]) => matchers.some((matches) => matches(tool)));
  return its.length === 0 ? found : { ...found, approved: Object.fromEntries(its) };
}

function rightsOver(sources: ValueSources): Values | undefined {
  const { order, framework, within, packs = [], declaredTools = {}, valuesUnjudged = false } = sources;
  const above = within?.values;
  if (above !== undefined && above.rights.pack !== "off") return above;
  const { manifest } = framework;
  // Below an order that began before that was the default nothing is judged either.
  const isEarlier = valuesUnjudged || (within !== undefined && above === undefined);
  if (manifest.values === undefined && isEarlier) return undefined;
  const said = manifest.values ? { document: `framework ${manifest.framework_id}`, path: "values" } : unsaid;
  const rights = withDeclaredTools(manifest.values ?? unsaidRights, declaredTools);
  const chosen = order.values?.pack;
  const isOther = chosen !== undefined && chosen !== rights.pack;
  const clause = { document: `work order ${order.work_order_id}`, path: "values.pack", pack: rights.pack };
  const values: Values = {
    ...said,
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
  const { values: rights = unsaidRights } = manifest;
  const chosen = order.values?.pack;
  const isBelow = within?.values !== undefined && within.values.rights.pack !== "off";
  if (chosen !== undefined && (isBelow || (chosen !== rights.pack && !rights.packs?.includes(chosen)))) {
    const why = isBelow
      ? "it was handed down, and is judged as the order above it is: it may only add rules"
      : `the framework ${manifest.framework_id} lists ${rights.packs?.join(", ") ?? "none"} in values.packs`;
    return err(
      domainError("NOT_AUTHORIZED", `the order may not be judged by the pack ${chosen}: ${why}`, {
        details: { hint: isBelow ? "leave values.pack out" : "name a pack that the framework allows" },
      }),
    );
  }
  if (isBelow) return ok([]);
  return ok(namedPacks(chosen === undefined ? rights : { ...rights, pack: chosen }));
}
