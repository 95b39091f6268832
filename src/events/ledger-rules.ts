import { isJsonObject } from "#base";
import type { SchemaRegistry } from "#schemas";
import type { LedgerRule, LedgerRules } from "./ledger.ts";

/** Gathers the rules from the contracts themselves: what a contract says about the ledgers is the law. */
export function ledgerRulesOf(schemas: SchemaRegistry): LedgerRules {
  const rules: Record<string, LedgerRule> = {};
  for (const id of schemas.ids()) {
    if (!id.endsWith("_v1")) continue;
    const schema = schemas.schema(id);
    if (!schema.ok || !isJsonObject(schema.value)) continue;
    const rule = schema.value["x-ledger"];
    if (rule !== undefined) rules[id.slice(0, -"_v1".length)] = rule as LedgerRule;
  }
  return rules;
}
