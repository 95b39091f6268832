import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sha256, systemRandom } from "#core/values";
import { type ContractStore, openContractStore } from "./contract-store.ts";

function storeIn(): { readonly root: string; readonly store: ContractStore } {
  const root = mkdtempSync(join(tmpdir(), "writ-contracts-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return { root, store: openContractStore(root, systemRandom) };
}
const textOf = (number: number) => ({ hash: sha256(`contract ${number}`), text: `contract ${number}` });

test("many contracts are kept at once, each under its hash, and leave no draft", async () => {
  const { root, store } = storeIn();
  const texts = Array.from({ length: 100 }, (_, number) => textOf(number));
  expect(await store.keep([...texts, textOf(0)])).toMatchObject({ ok: true }); // two files may hold the same
  for (const { hash, text } of texts) expect(store.read(hash)).toEqual({ ok: true, value: text });
  expect(readdirSync(join(root, "planes/hot/law")).toSorted()).toEqual(texts.map(({ hash }) => hash).toSorted());
  expect(await openContractStore(root, systemRandom).keep(texts)).toMatchObject({ ok: true });
});

test("a contract that cannot be written is an error, and is not taken for kept", async () => {
  const { root, store } = storeIn();
  writeFileSync(join(root, "planes"), "in the way");
  for (const _ of [1, 2])
    expect(await store.keep([textOf(1)])).toMatchObject({ ok: false, error: { code: "LEDGER_UNAVAILABLE" } });
  rmSync(join(root, "planes"));
  expect(await store.keep([textOf(1)])).toMatchObject({ ok: true });
  expect(store.read(textOf(1).hash)).toMatchObject({ ok: true });
});

test("a contract whose bytes are not those of its name is refused", async () => {
  const { root, store } = storeIn();
  await store.keep([textOf(1)]);
  writeFileSync(join(root, "planes/hot/law", textOf(1).hash), "changed");
  expect(store.read(textOf(1).hash)).toMatchObject({ ok: false, error: { code: "LEDGER_CORRUPT" } });
  expect(store.read(textOf(2).hash)).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
});
