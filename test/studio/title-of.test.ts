import { expect, test } from "vitest";
import { titleOf } from "../../studio/src/title-of.ts";

test.each([
  ["/", "Writ"],
  ["/sessions", "Sessions · Writ"],
  ["/sessions/SES-20261115-7f0cfc8fpzqh9tq89q8s", "7f0cfc · Sessions · Writ"],
  ["/runs/RUN-01m7gge5680000vvvz0j5k9myq", "5k9myq · Runs · Writ"],
  ["/inbox/APR-efbaf0645f76cd1102e82257225ddbbd", "efbaf0 · Inbox · Writ"],
  ["/workflows/bug-fix", "bug-fix · Workflows · Writ"],
  ["/nonsense", "Writ"],
])("the address %s is called %s", (location, title) => {
  expect(titleOf(location)).toBe(title);
});
