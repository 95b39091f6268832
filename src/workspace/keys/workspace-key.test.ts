import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { remedyOf, workspaceKey } from "./workspace-key.ts";

test("a key that cannot be read comes with the way out that helps", async () => {
  const root = mkdtempSync(join(tmpdir(), "writ-key-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const hint = async () => {
    const key = await workspaceKey(root, {
      signing: { private_key: "key.pem", public_key: "key.pub.pem", anchor_seconds: 60 },
    });
    return key.ok ? "there is a key" : key.error.details["hint"];
  };
  expect(await hint()).toBe("writ init makes one");
  mkdirSync(join(root, "key.pem"));
  expect(await hint()).toContain("from your backup");
  expect(remedyOf("EACCES")).toContain("act as the user who made the workspace"); // who tests as root may read everything
});
