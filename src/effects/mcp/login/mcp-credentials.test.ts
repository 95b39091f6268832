import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeFiles } from "#core/machine";
import { ok, systemClock } from "#core/values";
import { mcpCredentials } from "./mcp-credentials.ts";

let root: string;
let keys: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "writ-logins-"));
  keys = join(root, "planes/hot/keys");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const keeper = () =>
  mcpCredentials({ root, files: nodeFiles, clock: systemClock, redactor: { register: () => ok(undefined) } });

test("a save clears away the drafts that killed ones left of the same login, and nothing else", async () => {
  await keeper().save("math", {});
  const others = ["mcp-math.json.lock", "mcp-other.json.0123456789ab", "signing.pem"];
  for (const name of [...others, "mcp-math.json.0123456789ab"]) writeFileSync(join(keys, name), "");
  expect(await keeper().save("math", { tokens: { access_token: "kept" } })).toEqual(ok(undefined));
  expect(readdirSync(keys).toSorted()).toEqual(["mcp-math.json", ...others].toSorted());
  expect(statSync(join(keys, "mcp-math.json")).mode & 0o777).toBe(0o600);
  expect(await keeper().load("math")).toEqual(ok({ tokens: { access_token: "kept" } }));
});

test("saves at one moment all come through, though each clears away what it finds", async () => {
  const saves = Array.from({ length: 8 }, (_, each) => keeper().save("math", { tokens: { access_token: `${each}` } }));
  expect(await Promise.all(saves)).toEqual(saves.map(() => ok(undefined)));
  expect(readdirSync(keys)).toEqual(["mcp-math.json"]);
});

test("one renewal of a login runs at a time; after one that fails the next has its turn", async () => {
  const steps: string[] = [];
  const renew = (name: string) =>
    keeper().inTurn("math", async () => {
      steps.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${name} ends`);
      if (name === "first") throw new Error("the server refused it");
    });
  const first = renew("first");
  const second = renew("second");
  await expect(first).rejects.toThrow("the server refused it");
  expect(await second).toEqual(ok(undefined));
  expect(steps.join(", ")).toMatch(/^(\w+) begins, \1 ends, (\w+) begins, \2 ends$/);
});
