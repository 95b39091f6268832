import { expect, test } from "vitest";
import { domainError } from "#base";
import { errorSanitizer } from "./sanitize-error.ts";

test.each(["STORE_UNAVAILABLE", "STORE_TOO_NEW", "LEDGER_UNAVAILABLE", "INTERNAL"] as const)(
  "the words of %s stay inside, under the place that is told",
  (code) => {
    const problems: string[] = [];
    const sanitizeError = errorSanitizer((message) => problems.push(message));
    const error = domainError(code, "open /srv/writ/secret: EACCES", {
      details: { path: "/srv" },
      cause: new Error("x"),
    });
    const told = sanitizeError(error, "here");
    expect(told).toMatchObject({ code, retryable: error.retryable, details: {} });
    expect(told.message).toMatch(/; the server's own log tells more under here$/);
    expect(told.message).not.toContain("/srv");
    expect(problems).toEqual(["here: open /srv/writ/secret: EACCES"]);
  },
);

test("what whoever asked can do something about is told as it is, and is no problem of the server's", () => {
  const sanitizeError = errorSanitizer(() => expect.unreachable());
  for (const code of ["NOT_FOUND", "OVERLOADED", "LEDGER_CORRUPT", "SESSION_BUSY"] as const) {
    const error = domainError(code, "so it is", { details: { hint: "do that" } });
    expect(sanitizeError(error, "here")).toBe(error);
  }
});
