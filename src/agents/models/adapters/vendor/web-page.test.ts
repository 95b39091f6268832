import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "#core/values";
import { type FakeVendor, fakeVendor } from "../../../../../test/support/vendors/vendor-server.ts";
import { knownRefusals } from "../../facts/known-refusals.ts";
import type { ProviderCall } from "../../provider.ts";
import { providerKinds } from "../../provider-kinds.ts";
import { openVendor } from "./open-vendor.ts";

let server: FakeVendor;
beforeEach(async () => {
  server = await fakeVendor("google");
});
afterEach(() => server[Symbol.asyncDispose]());

test("a web page with a good status ends as that, with the address that sent it, in a document and in a stream", async () => {
  server.will({ status: 200, raw: "<html>Welcome</html>", headers: { "content-type": "text/html; charset=utf-8" } });
  const { vendor } = providerKinds.google;
  if (!vendor) throw new Error("google is no vendor");
  const provider = await openVendor({
    vendor,
    connection: { baseUrl: server.baseUrl, apiKey: "key-of-a-test", headers: {} },
    clock: systemClock,
    idleMs: 5_000,
    redact: (text) => text,
    refusals: knownRefusals(),
    facts: () => undefined,
  });
  const call: ProviderCall = {
    request: {
      messages: [{ role: "user", content: "hello" }],
      model: "m",
      max_tokens: 64,
      tools: [],
      schema_version: "v2",
    },
    meta: { role: "solo", skill: null, call: 1, session_id: "SES-1", prompt: "hello", contract_id: null },
    signal: new AbortController().signal,
  };
  for (const watching of [{}, { onText: () => undefined }])
    expect(await provider.complete({ ...call, ...watching })).toMatchObject({
      ok: false,
      error: { code: "PROVIDER_ERROR", retryable: true, message: expect.stringMatching(/web page.*127\.0\.0\.1/) },
    });
});
