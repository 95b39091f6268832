// FMWK-005: Agent instantiation MUST read from framework definitions — agents don't create themselves.
import { expect, test } from "vitest";
import { testWorkspace } from "../support/runtime-workspace.ts";

const manifest = (classes: string) => `framework_id: FMWK-777
title: Mock
version: "1.0.0"
status: active
ring: admin
plane_id: ho1
agent_classes: [${classes}]
default_agent_class: ${classes.split(",")[0]}
path_authorizations: ["mock/**"]
prompt_contracts: [PRC-MOCK-001]
`;
const files = {
  "registries/frameworks_registry.csv":
    "framework_id,title,status,version,plane_id,path\nFMWK-777,Mock,active,1.0.0,ho1,frameworks/FMWK-777_Mock\n",
  "frameworks/FMWK-777_Mock/manifest.yaml": manifest("RESIDENT"),
  "frameworks/FMWK-777_Mock/prompt_contracts/PRC-MOCK-001.yaml":
    'contract_id: PRC-MOCK-001\nversion: "1.0.0"\ntemplate: "MOCK {{prompt}}"\n',
};
const order = { framework_id: "FMWK-777" };

test("class, paths and contracts of an agent are what the framework's manifest says, as it says it now", async () => {
  await using workspace = await testWorkspace({ files });
  const first = await workspace.order(order);
  const started = (await workspace.events(first.session_id)).find((event) => event.type === "wo.started");
  expect(started?.payload).toMatchObject({
    agent_class: "RESIDENT",
    path_authorizations: ["mock/**"],
    prompt_contracts: ["PRC-MOCK-001"],
  });
  const request = (await workspace.events(first.session_id)).find((event) => event.type === "llm.request");
  expect(JSON.stringify(request?.payload)).toContain("MOCK Say hello to Ada");

  await workspace.write("frameworks/FMWK-777_Mock/manifest.yaml", manifest("ADMIN"));
  expect(await workspace.order({ ...order, agent_class: "RESIDENT" })).toMatchObject({
    error_code: "AGENT_CLASS_NOT_PERMITTED",
  });
});

test.each([
  [
    "not in the registry",
    { "registries/frameworks_registry.csv": "framework_id,title,status,version,plane_id,path\n" },
    "FRAMEWORK_NOT_FOUND",
  ],
  ["registered without a manifest", { "frameworks/FMWK-777_Mock/manifest.yaml": undefined }, "FRAMEWORK_NOT_FOUND"],
  [
    "retired",
    { "frameworks/FMWK-777_Mock/manifest.yaml": manifest("RESIDENT").replace("active", "retired") },
    "FRAMEWORK_NOT_FOUND",
  ],
  [
    "under another id",
    { "frameworks/FMWK-777_Mock/manifest.yaml": manifest("RESIDENT").replace("FMWK-777", "FMWK-778") },
    "FRAMEWORK_NOT_FOUND",
  ],
  [
    "outside the workspace",
    {
      "registries/frameworks_registry.csv":
        "framework_id,title,status,version,plane_id,path\nFMWK-777,Mock,active,1.0.0,ho1,../elsewhere\n",
    },
    "CONFIG_INVALID",
  ],
])("a framework that is %s makes no agent", async (_, changed, code) => {
  const given = Object.fromEntries(
    Object.entries({ ...files, ...changed }).filter(([, text]) => text !== undefined),
  ) as Record<string, string>;
  await using workspace = await testWorkspace({ files: given });
  const result = await workspace.order(order);
  expect(result.error_code).toBe(code);
  expect((await workspace.events(result.session_id)).map((event) => event.type)).not.toContain("wo.started");
});
