import * as fc from "fast-check";
import { expect, test } from "vitest";
import { comparablePath } from "./workspace-path.ts";

test("a path of printed ASCII has the form that folding all of its characters gives", () => {
  const part = fc
    .string({ unit: "grapheme-ascii", minLength: 1, maxLength: 12 })
    .map((text) => text.replaceAll("/", "-"))
    .filter((text) => /[^. :]/.test(text));
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      // A character that is not shown is folded away, and makes the whole part be folded.
      const marked = parts.map((each) => `\u200b${each}`);
      expect(comparablePath(parts.join("/"))).toBe(comparablePath(marked.join("/")));
    }),
  );
});
