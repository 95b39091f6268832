import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { value } from "../../../test/support/log.ts";
import { parseSigningKey, type SigningKey } from "./signing-key.ts";
import { leadingTo, type Succession, sealSuccession, signerOf } from "./succession.ts";

function newKey(): SigningKey {
  const { privateKey } = generateKeyPairSync("ed25519");
  return value(parseSigningKey(privateKey.export({ type: "pkcs8", format: "pem" }) as string, ""));
}

const [oldest, middle, newest, stranger] = [newKey(), newKey(), newKey(), newKey()];
const first = sealSuccession(oldest, middle, 5, 0);
const second = sealSuccession(middle, newest, 9, 1);
const ids = (successions: readonly Succession[]) => leadingTo(newest.key_id, successions).map(({ key }) => key.key_id);

test("keys lead to today's by their own word, the oldest first", () => {
  expect(ids([first, second])).toEqual([oldest.key_id, middle.key_id]);
  expect(ids([first])).toEqual([]);
  expect(ids([second, sealSuccession(newest, stranger, 12, 2)])).toEqual([middle.key_id]);
});

test("a word that a key did not say leads nowhere, nor does what came before it", () => {
  const { signature } = sealSuccession(stranger, newest, 9, 1);
  for (const forged of [
    { ...second, signature },
    { ...second, signature: "" },
    { ...second, tree_size: 10 },
    { ...second, ts: first.ts },
    { ...second, public_key: stranger.pem },
    { ...second, public_key: stranger.pem, signature: sealSuccession(stranger, newest, 9, 1).signature },
    { ...second, public_key: "nothing" },
    { ...first, next_key_id: newest.key_id },
  ])
    expect(ids([first, forged])).toEqual([]);
  expect(ids([{ ...first, signature }, second])).toEqual([middle.key_id]);
});

test("a retired key's signatures count up to where it was succeeded, today's everywhere, a stranger's nowhere", () => {
  const key = { ...newest, retired: leadingTo(newest.key_id, [first, second]) };
  const signer = ({ key_id }: SigningKey, tree_size: number) => signerOf({ key_id, tree_size }, key)?.key_id;
  expect([signer(oldest, 5), signer(oldest, 6)]).toEqual([oldest.key_id, undefined]);
  expect([signer(middle, 9), signer(middle, 10)]).toEqual([middle.key_id, undefined]);
  expect([signer(newest, 1), signer(newest, 1_000)]).toEqual([newest.key_id, newest.key_id]);
  expect(signer(stranger, 1)).toBeUndefined();
});
