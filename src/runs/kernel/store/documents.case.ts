import { describe, expect, test } from "vitest";
import { sha256 } from "#core/values";
import type { Documents } from "../documents.ts";
import { code, must } from "./store-bench.case.ts";

export interface DocumentsCase {
  open(): Promise<Documents>;
  /** Changes the stored bytes without using the store. */
  damage(hash: string): Promise<void>;
}

/** The cases that every driver of `Documents` passes. */
export function documentsCases(driver: string, cases: DocumentsCase): void {
  describe(`documents on ${driver}`, () => {
    test("the same bytes have the same name and are kept once", async () => {
      const documents = await cases.open();
      const [text, bytes] = ["Grüße\n", Buffer.from("Grüße\n")];
      expect(must(await documents.put(text))).toEqual({ sha256: sha256(bytes), bytes: bytes.byteLength });
      expect(must(await documents.put(bytes))).toEqual({ sha256: sha256(bytes), bytes: bytes.byteLength });
      expect(Buffer.from(must(await documents.get(sha256(bytes)))).toString()).toBe(text);
      expect(must(await documents.has(sha256(bytes)))).toBe(true);
      expect(must(await documents.has(sha256("other")))).toBe(false);
    });

    test("an unknown hash and an invalid hash are different errors", async () => {
      const documents = await cases.open();
      expect(code(await documents.get(sha256("nowhere")))).toBe("NOT_FOUND");
      expect(code(await documents.get("../etc/passwd"))).toBe("MALFORMED_INPUT");
      expect(code(await documents.has("x"))).toBe("MALFORMED_INPUT");
    });

    test("bytes that no longer match their name are not handed out", async () => {
      const documents = await cases.open();
      const { sha256: hash } = must(await documents.put("canon"));
      await cases.damage(hash);
      expect(code(await documents.get(hash))).toBe("LEDGER_CORRUPT");
    });
  });
}
