import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { CountedLink } from "./check-chain.ts";
import type { GrantUseStore } from "./store/grant-use-store.ts";

/** Takes the uses that an order needs before it acts, durably: a process that dies after it has used them up. */
export async function takeUses(
  store: GrantUseStore,
  work_order_id: string,
  links: readonly CountedLink[],
): Promise<Result<void>> {
  if (links.length === 0) return ok(undefined);
  const spent = await store.takeGrantUses(work_order_id, links);
  if (!spent.ok) return spent;
  if (spent.value === null) return ok(undefined);
  const { uses } = links.find(({ link_hash }) => link_hash === spent.value) ?? { uses: 0 };
  const times = uses === 1 ? "once" : `${uses} times`;
  return err(
    domainError(
      "NOT_AUTHORIZED",
      `a link of the authorization chain of ${work_order_id} was good ${times}, and other orders have acted by it that often`,
      { details: { link_hash: spent.value, hint: "its granter signs another: writ flow grant" } },
    ),
  );
}
