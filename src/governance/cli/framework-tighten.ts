import { argument, type Command, numberOption, text } from "#core/commands";
import { domainError } from "#core/errors";
import { err, ok } from "#core/values";
import type { Records } from "../open-records.ts";

interface TightenOptions {
  readonly orders: string;
}

export const frameworkTighten: Command<"records", Records, TightenOptions> = {
  name: "tighten",
  summary: "propose narrower rules for a framework: what the recorded orders under it used, and no more",
  needs: "records",
  json: "framework_id, orders, rules with property, now and proposed, reads_known, and difference",
  arguments: [argument("id", "its id")],
  options: { orders: text("n", "at most so many of the newest orders that succeeded", "200") },
  about: "Nothing is written. Look at what the orders were about before you take the difference over.",
  examples: ["writ framework tighten FMWK-INVOICE", "writ framework tighten FMWK-INVOICE --orders 20 --json"],
  exits: null,
  run: async ({ root, reader, schemas }, { arguments: [framework_id = ""], options }) => {
    const most = numberOption("--orders", options.orders);
    if (!most.ok) return most;
    const { findFramework, manifestTextOf } = await import("../frameworks/find-framework.ts");
    const found = await findFramework(root, framework_id, schemas);
    if (!found.ok) return found;
    const { manifest, path } = found.value;
    if (manifest === null)
      return err(domainError("CONFIG_INVALID", `${path}/manifest.yaml cannot be read: writ framework check`));
    const { collectUsedRights } = await import("../frameworks/collect-used-rights.ts");
    const collected = await collectUsedRights(framework_id, reader, most.value);
    if (!collected.ok) return collected;
    const { orders, used } = collected.value;
    const { tightenFramework } = await import("../frameworks/tighten-framework.ts");
    const rules = orders === 0 ? [] : tightenFramework(manifest, used);
    const { manifestDifference } = await import("../frameworks/manifest-difference.ts");
    const before = await manifestTextOf(found.value);
    if (!before.ok) return before;
    const difference = manifestDifference(`${path}/manifest.yaml`, before.value, rules);
    const { describeTightening } = await import("./describe-framework.ts");
    const proposal = { framework_id, orders, rules, reads_known: !used.hasReadUnseen, difference };
    return ok({ json: proposal, text: (screen) => describeTightening(proposal, screen) });
  },
};
