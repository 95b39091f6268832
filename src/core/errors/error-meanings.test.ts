import { expect, test } from "vitest";
import { errorMeanings } from "./error-meanings.ts";

test.each(["TOOL_NOT_ALLOWED", "CAPABILITY_VIOLATION", "UNDECLARED_WRITE", "PARTIAL_RESULT"] as const)(
  "the first advice after %s is to look, not to grant",
  (code) => {
    const [first = ""] = errorMeanings[code].remedy.split(/\. |;/);
    expect(first).toMatch(/^(See|`undone`|`writ turn quarantine show`)/);
    expect(first).not.toMatch(/^[^:]*(grant|allow|widen)/i);
  },
);
