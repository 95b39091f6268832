import { expect, test } from "vitest";
import { isLostConnection, postgresFailure } from "./failure.ts";

const said = (code: string, message: string) => Object.assign(new Error(message), { code, severity: "FATAL" });

test("a pooler that refuses our settings is named, with the parameter that it asks for, and is not tried again", () => {
  const refusal = said("08P01", "unsupported startup parameter: statement_timeout"); // as PgBouncer 1.18 says it
  expect(isLostConnection(refusal)).toBe(false);
  const { message, details } = postgresFailure(refusal);
  expect([message, details["busy"], details["hint"]]).toEqual([
    expect.stringContaining("a pooler is between"),
    undefined,
    expect.stringContaining("pooler=transaction"),
  ]);
});

test.each([
  ["53300", "too many connections for role", /no connection left/],
  ["25006", "cannot execute INSERT in a read-only transaction", /takes no writes/],
  ["25P04", "terminating connection due to transaction timeout", /connection to the database broke/],
])("%s passes: nothing was changed, and it may work next time", (code, message, words) => {
  const failure = postgresFailure(said(code, message));
  expect(failure.message).toMatch(words);
  expect(failure.details["busy"]).toBe(true);
});

test.each([
  ["28P01", 'password authentication failed for user "a"', "${secret:NAME}"],
  ["28000", 'no pg_hba.conf entry for host "h", user "u", database "d", no encryption', "sslmode=verify-full"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate", "sslrootcert"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "Hostname/IP does not match certificate's altnames", "sslrootcert"],
  ["3D000", 'database "d" does not exist', "CREATE DATABASE"],
  ["42501", "permission denied for schema public", "GRANT"],
])("%s says the way out, and is not tried again", (code, message, remedy) => {
  const failure = postgresFailure(said(code, message));
  expect(failure.message).toContain(message);
  expect(failure.details["hint"]).toContain(remedy);
  expect(failure.details["busy"]).toBeUndefined();
});
