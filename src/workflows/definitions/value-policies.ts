import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result, suggest } from "#core/values";
import type { ValuePolicy } from "#governance/values";
import { policyKinds } from "../policies/policy-kinds.ts";
import { linkPolicy } from "./link.ts";
import type { Workflows } from "./registry.ts";

/** Policies of the kind value-rights by their names, as a mandate holds them. */
export async function valuePolicies(
  workflows: Pick<Workflows, "registry">,
  schemas: SchemaRegistry,
  names: readonly string[],
): Promise<Result<readonly ValuePolicy[]>> {
  if (names.length === 0) return ok([]);
  const registry = await workflows.registry();
  if (!registry.ok) return registry;
  const { index } = registry.value;
  const found: ValuePolicy[] = [];
  for (const name of names) {
    const [definition] = index.policies.get(name) ?? [];
    const { policy } = definition ? linkPolicy(definition, index, schemas) : { policy: null };
    if (policy === null || policy.kind !== "value-rights") return err(noPack(name, [...index.policies.keys()]));
    found.push(policyKinds["value-rights"].packOf(policy));
  }
  return ok(found);
}

function noPack(name: string, known: readonly string[]) {
  const meant = suggest(name, known);
  return domainError(
    "WORKFLOW_UNKNOWN_ID",
    `the rights over values name the pack ${JSON.stringify(name)}, and no policy of the kind value-rights is called so${meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`}`,
    { details: { hint: "`standard`, `strict`, or a policy in workflows/policies/ of the kind value-rights" } },
  );
}
