import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTurnLock } from "#core/database";
import { type Clock, type Result, seededRandom, systemClock } from "#core/values";
import { loadSigningKey, loadVerifyingKey } from "#proof";
import { initWorkspace } from "./init-workspace.ts";
import { rotateSigningKey } from "./rotate-signing-key.ts";

let root: string;
let keys: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "writ-rotate-"));
  keys = join(root, "planes/hot/keys");
  value(await initWorkspace(root));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const rotate = (seed: number, clock: Clock = systemClock) =>
  rotateSigningKey({ root, env: {}, clock, random: seededRandom(seed), version: "test" });
const privateKey = () => value(loadSigningKey(join(keys, "signing.pem")));
const publicKey = () => value(loadVerifyingKey(join(keys, "signing.pub.pem")));
const asides = () => readdirSync(keys).filter((name) => name.includes(".next"));

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** A real clock, and a promise that resolves when a caller waits by it. */
function waitedBy(): { readonly clock: Clock; readonly waits: Promise<void> } {
  let wait: () => void = () => undefined;
  const waits = new Promise<void>((resolve) => {
    wait = resolve;
  });
  const after: Clock["after"] = (ms, callback) => {
    wait();
    return systemClock.after(ms, callback);
  };
  return { clock: { ...systemClock, after }, waits };
}

test("of two changes at once one takes place; the other is refused, and leaves the first one's key as it is", async () => {
  const first = privateKey();
  mkdirSync(join(root, "planes/hot/anchors"), { recursive: true });
  const anchoring = openTurnLock(join(root, "planes/hot/anchors/anchors.lock"));
  expect(anchoring.take()).toBe(true);
  const clocks = [waitedBy(), waitedBy()];
  const rotating = Promise.all(clocks.map(({ clock }, index) => rotate(index, clock)));
  await Promise.all(clocks.map(({ waits }) => waits)); // both have read the old key, and wait for the lock
  anchoring.give();
  anchoring.close();
  const rotated = await rotating;
  const refused = rotated.flatMap((each) => (each.ok ? [] : [each.error.message]));
  expect(refused).toEqual([expect.stringContaining("run it again")]);
  expect(publicKey().key_id).toBe(privateKey().key_id);
  expect(rotated.flatMap((each) => (each.ok ? [each.value.next_key_id] : []))).toEqual([privateKey().key_id]);
  expect(publicKey().retired?.map(({ key }) => key.key_id)).toEqual([first.key_id]);
  expect(asides()).toEqual([]);
});

test("a change killed between the two keys is ended by the next one, which clears away what the dead one left", async () => {
  const first = publicKey();
  value(await rotate(1));
  const second = privateKey();
  writeFileSync(join(keys, "signing.pub.pem"), first.pem); // as if killed after the private key was in place
  for (const name of ["signing.pub.pem.0a1b2c3d4e5f.next", "signing.pem.665544332211.next", "signing.pem.next"])
    writeFileSync(join(keys, name), "left over");
  appendFileSync(join(keys, "successions.jsonl"), '{"key_id":"torn');
  value(await rotate(2));
  expect(publicKey().key_id).toBe(privateKey().key_id);
  expect(publicKey().retired?.map(({ key }) => key.key_id)).toEqual([first.key_id, second.key_id]);
  expect(asides()).toEqual([]);
  expect(readFileSync(join(keys, "successions.jsonl"), "utf8")).not.toContain("torn");
});
