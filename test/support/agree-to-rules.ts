import { nodeFiles } from "#core/machine";
import { systemClock } from "#core/values";
import { rulesOfWorkspace } from "../../src/governance/rules/agreed-rules.ts";
import { grantTrust } from "../../src/governance/trust/grant-trust.ts";
import { trustOfWorkspace } from "../../src/governance/trust/trust-of-workspace.ts";
import { readConfig } from "../../src/workspace/config/load-config.ts";

/** What `writ trust --yes` does. */
export async function agreeToRules(root: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const read = await readConfig(root, nodeFiles, {});
  if (!read.ok) throw new Error(read.error.message);
  const sources = { root, config: read.value.config, env, files: nodeFiles, clock: systemClock };
  const [trust, rules] = [await trustOfWorkspace(sources), await rulesOfWorkspace(sources)];
  if (!trust.ok || !rules.ok) throw new Error("the rules cannot be read");
  const given = await grantTrust(sources, trust.value.digest, rules.value);
  if (!given.ok) throw new Error(given.error.message);
}
