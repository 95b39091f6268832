import { describe, expect, test } from "vitest";
import { domainError, messageOf } from "../errors/domain-error.ts";
import { errorCodes } from "../errors/error-codes.ts";
import { keyedSha256, sha256, zeroHash } from "./hash.ts";
import { InvariantViolation, invariant, unreachable } from "./invariant.ts";
import { isJsonObject } from "./json.ts";
import { fraction, seededRandom } from "./random.ts";
import { suggest } from "./suggest.ts";
import { systemRandom } from "./system.ts";

describe("hashes", () => {
  test("are SHA-256 in lower-case hex of the text's UTF-8", () => {
    expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(sha256("é")).toBe(sha256(new Uint8Array([0xc3, 0xa9])));
    expect(zeroHash).toMatch(/^0{64}$/);
  });

  test("with a key are HMAC-SHA-256", () => {
    // RFC 4231, test case 2
    expect(keyedSha256("Jefe", "what do ya want for nothing?")).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
    expect(keyedSha256("a", "x")).not.toBe(keyedSha256("b", "x"));
    // As an earlier Writ recorded them; RFC 4231, test case 6, has a key longer than a block.
    expect(keyedSha256("", "")).toBe("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
    expect(keyedSha256(new Uint8Array(131).fill(0xaa), "Test Using Larger Than Block-Size Key - Hash Key First")).toBe(
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    );
    expect(keyedSha256("clé", "é漢😀")).toBe("d79c88a945a7655b04a89b45244265128930a4d962d7e1ad142b744082342d23");
    expect(keyedSha256("k", new Uint8Array([1, 2]))).toBe(keyedSha256(new Uint8Array([107]), new Uint8Array([1, 2])));
  });
});

describe("chance", () => {
  test("from a seed repeats and differs from another seed's", () => {
    expect(seededRandom(1).bytes(16)).toEqual(seededRandom(1).bytes(16));
    expect(seededRandom(1).bytes(16)).not.toEqual(seededRandom(2).bytes(16));
  });

  test("covers every byte, and fractions lie in [0, 1)", () => {
    const random = seededRandom(9);
    expect(new Set(random.bytes(20_000)).size).toBe(256);
    const fractions = Array.from({ length: 10_000 }, () => fraction(random));
    expect(Math.min(...fractions)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...fractions)).toBeLessThan(1);
    const mean = fractions.reduce((sum, each) => sum + each, 0) / fractions.length;
    expect(mean).toBeCloseTo(0.5, 1);
    expect(fraction({ bytes: () => new Uint8Array([255, 255, 255, 255]) })).toBeLessThan(1);
  });

  test("of the machine never returns the same bytes twice, below and above its pool", () => {
    const seen = new Set<string>();
    for (const count of [16, 16, 4096, 4096, 4096, 10_000, 16]) {
      const bytes = systemRandom.bytes(count);
      expect(bytes.length).toBe(count);
      seen.add(Buffer.from(bytes.slice(0, 16)).toString("hex"));
    }
    expect(seen.size).toBe(7);
  });
});

describe("errors", () => {
  test("carry the kind and the retryability of their code by default", () => {
    expect(domainError("PROVIDER_TIMEOUT", "slow")).toEqual({
      kind: "provider",
      code: "PROVIDER_TIMEOUT",
      message: "slow",
      retryable: true,
      details: {},
    });
    const cause = new Error("socket");
    expect(
      domainError("PROVIDER_ERROR", "bad key", { retryable: false, details: { status: 401 }, cause }),
    ).toMatchObject({ retryable: false, details: { status: 401 }, cause });
    for (const [code, { kind }] of Object.entries(errorCodes)) expect([code, kind.length > 0]).toEqual([code, true]);
  });

  test("have a message whatever was thrown", () => {
    expect([new Error("a"), "b", 3, undefined, null].map(messageOf)).toEqual(["a", "b", "3", "undefined", "null"]);
  });

  test("of Writ itself are thrown", () => {
    expect(() => invariant(false, "seq has a gap")).toThrow(InvariantViolation);
    expect(() => invariant(1, "fine")).not.toThrow();
    expect(() => unreachable("x" as never)).toThrow('unexpected value "x"');
  });
});

test("only objects are JSON objects", () => {
  expect([{}, [], null, "a", 1, undefined, Object.create(null)].map(isJsonObject)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
    true,
  ]);
});

describe("a suggestion", () => {
  const names = ["token_limit", "turn_limit", "timeout_seconds", "usd_limit", "plan_v1"];
  test.each([
    ["tokenlimit", "token_limit"],
    ["tokenLimit", "token_limit"],
    ["token-limt", "token_limit"],
    ["timout_seconds", "timeout_seconds"],
    ["tiemout_seconds", "timeout_seconds"],
    ["plan_v2", "plan_v1"],
    ["paln_v1", "plan_v1"],
    ["colour", undefined],
    ["x", undefined],
    ["", undefined],
    ["t".repeat(10_000), undefined],
  ])("for %s is %s", (name, meant) => {
    expect(suggest(name, names)).toBe(meant);
  });

  test("is the nearest, and the first of equals", () => {
    expect(suggest("abcd", ["abce", "abcd1", "abcf"])).toBe("abce");
    expect(suggest("a", [])).toBeUndefined();
  });
});
