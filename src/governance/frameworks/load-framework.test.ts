import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { memoryFiles } from "../../../test/support/memory-files.ts";
import { frameworkReader } from "./load-framework.ts";

const manifest = (status: string) => `framework_id: FMWK-777
title: Mock
version: "1.0.0"
status: ${status}
ring: kernel
plane_id: ho1
created_at: "2026-02-10T00:00:00Z"
agent_classes: [RESIDENT]
default_agent_class: RESIDENT
path_authorizations: ["**"]
`;
const rows = "framework_id,path\nFMWK-777,frameworks/mock\n";

const readerOf = (given: Readonly<Record<string, string>>) =>
  frameworkReader({ roots: ["/w"], files: memoryFiles(given), schemas: shippedRegistry() });

test.each([
  ["active", true],
  ["draft", false],
  ["retired", false],
])("a framework that is %s rules: %s", async (status, rules) => {
  const read = readerOf({
    "/w/registries/frameworks_registry.csv": rows,
    "/w/frameworks/mock/manifest.yaml": manifest(status),
  });
  const found = await read("FMWK-777");
  expect(found.ok).toBe(rules);
  if (!found.ok) expect(found.error.code).toBe("FRAMEWORK_NOT_FOUND");
});

test("an id that two registries name rules nothing: nobody can tell which one is meant", async () => {
  const read = readerOf({
    "/w/registries/PKG-A/frameworks_registry.csv": rows,
    "/w/registries/PKG-B/frameworks_registry.csv": "framework_id,path\nFMWK-777,frameworks/other\n",
    "/w/frameworks/mock/manifest.yaml": manifest("active"),
    "/w/frameworks/other/manifest.yaml": manifest("active"),
  });
  expect(await read("FMWK-777")).toMatchObject({
    ok: false,
    error: { code: "CONFIG_INVALID", message: expect.stringContaining("PKG-B") },
  });
});
