// The cycles that ship, with a real adapter against a server that speaks the vendor's wire format: the same way, verdict and
// artifacts as with the scripted model. The server knows nothing but the requests.
import { expect, test } from "vitest";
import type { SessionId } from "#core/values";
import { exampleCycles, exampleOf, runExample } from "../support/cycle-examples.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";
import { cycleMind } from "../support/vendors/cycle-mind.ts";
import { fakeVendor, type VendorName } from "../support/vendors/vendor-server.ts";

const key = "kx7-Tr0ub4dor-and-3-horses";
const keyed = { anthropic: "x-api-key", openai: "authorization", google: "x-goog-api-key" } as const;

/** Models put documents into fences as often as not. */
const dresses: Readonly<Record<string, (json: string) => string>> = {
  anthropic: (json) => `\`\`\`json\n${json}\n\`\`\``,
  openai: (json) => json,
  google: (json) => `\n${json}\n`,
};

test.each(
  process.env["WRIT_CAMPAIGN"] ? (["anthropic", "openai", "google"] as const) : (["anthropic", "openai"] as const),
)(
  "all shipped cycles run with %s as they do with the scripted model",
  async (name: Exclude<VendorName, "openai-compatible">) => {
    await using vendor = await fakeVendor(name);
    await using workspace = await testWorkspace({
      config: { profiles: { real: { provider: name, base_url: vendor.baseUrl, model: "big-1" } } },
      env: { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key, GOOGLE_GENERATIVE_AI_API_KEY: key },
    });
    expect(exampleCycles).toHaveLength(5);
    for (const cycle of exampleCycles) {
      const from = vendor.requests.length;
      vendor.will(cycleMind(exampleOf(cycle).rules, dresses[name] ?? String));
      const { result, events, output } = await runExample(workspace, cycle, { profile: "real" });
      expect(result, `${cycle}: ${result.error}`).toMatchObject({ status: "success", verdict: "done" });
      expect(Object.fromEntries(output)).toEqual(Object.fromEntries(exampleOf(cycle).output));
      expect(await workspace.runtime.verifySession(result.session_id as SessionId)).toMatchObject({ ok: true });
      // Every answer in the record came over the wire, once, with the vendor's own figures.
      const answers = events.filter((event) => event.type === "llm.response");
      expect(answers.map(({ payload }) => payload)).toMatchObject(
        answers.map(() => ({
          status: "ok",
          provider: name,
          model: "big-1",
          usage: { input_tokens: 20, output_tokens: 7 },
        })),
      );
      const sent = vendor.requests.slice(from);
      expect(sent).toHaveLength(answers.length);
      expect(sent.every(({ headers }) => String(headers[keyed[name]]).endsWith(key))).toBe(true);
    }
  },
  60_000,
);
