import { expect, test } from "vitest";
import { dpopKey } from "./dpop-key.ts";

const proofOf = async (key: Awaited<ReturnType<typeof dpopKey>>) => {
  const proof = await key.session.buildProof({
    htm: "POST",
    htu: new URL("https://example.org/mcp"),
    accessToken: "at",
  });
  return JSON.parse(Buffer.from(proof.split(".")[0] ?? "", "base64url").toString()) as { typ: string; jwk: object };
};

test("a stored key proves itself as the same key; its private part is in no proof", async () => {
  const first = await dpopKey(undefined);
  const later = await dpopKey(JSON.parse(JSON.stringify(first.stored)) as object as never);
  const [one, two] = [await proofOf(first), await proofOf(later)];
  expect(two.jwk).toEqual(one.jwk);
  expect(one.typ).toBe("dpop+jwt");
  expect(Object.keys(one.jwk)).not.toContain("d");
  expect((await proofOf(await dpopKey(undefined))).jwk).not.toEqual(one.jwk);
});
