import { expect, test } from "vitest";
import { postgresAddress } from "./address.ts";

const read = (text: string) => {
  const address = postgresAddress(text);
  return address.ok ? address.value : address.error.message;
};

test("names and passwords may hold any character, written behind a %", () => {
  expect(read("postgres://a%40b:p%40ss%2Fw%3Ard%23%25@db.example:6000/odd%20name%2F%C3%BC?tenant=a%20b")).toMatchObject(
    {
      user: "a@b",
      password: "p@ss/w:rd#%",
      host: "db.example",
      port: 6000,
      database: "odd name/ü",
      tenant: "a b",
    },
  );
});

test.each(["postgres://u:50%@h/d", "postgres://u%zz@h/d", "postgres://u@h/d%"])(
  "a percent sign that begins no character is refused in words: %s",
  (text) => {
    expect(read(text)).toMatch(/%25/);
    expect(read(text)).not.toContain("50%");
  },
);

test("a tenant without a name is refused as a typing error", () => {
  expect(read("postgres://u@h/d?tenant=")).toMatch(/tenant has no name/);
  expect(read("postgres://u@h/d")).toMatchObject({ tenant: "default" });
});

test("a server of this machine is also reached by its socket, without TLS", () => {
  expect(read("postgres://u@%2Fvar%2Frun%2Fpostgresql:5433/d")).toMatchObject({
    host: "/var/run/postgresql",
    port: 5433,
    tls: false,
  });
  expect(read("postgres://u@[::1]/d")).toMatchObject({ host: "::1", tls: false });
});
