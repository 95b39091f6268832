import { expect, test } from "vitest";
import { domainError } from "../errors/domain-error.ts";
import { errorSanitizer } from "./sanitize-error.ts";

test.each(["STORE_UNAVAILABLE", "STORE_TOO_NEW", "LEDGER_UNAVAILABLE", "INTERNAL"] as const)(
  "the message of %s stays in the log, under the place that the caller gets",
  (code) => {
    const problems: string[] = [];
    const sanitizeError = errorSanitizer((message) => problems.push(message));
    const error = domainError(code, "open /srv/writ/secret: EACCES", {
      details: { path: "/srv" },
      cause: new Error("x"),
    });
    const sanitized = sanitizeError(error, "here");
    expect(sanitized).toMatchObject({ code, retryable: error.retryable, details: {} });
    expect(sanitized.message).toMatch(/; the server's own log tells more under here$/);
    expect(sanitized.message).not.toContain("/srv");
    expect(problems).toEqual(["here: open /srv/writ/secret: EACCES"]);
  },
);

test("an error that the caller can act on passes unchanged and is not logged", () => {
  const sanitizeError = errorSanitizer(() => expect.unreachable());
  for (const code of ["NOT_FOUND", "OVERLOADED", "LEDGER_CORRUPT", "SESSION_BUSY"] as const) {
    const error = domainError(code, "so it is", { details: { hint: "do that" } });
    expect(sanitizeError(error, "here")).toBe(error);
  }
});
