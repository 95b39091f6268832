import { describe, expect, test } from "vitest";
import { admitHost, type HostRule, isInside, readHostRules } from "./host-rules.ts";

const rules = (...hosts: string[]): readonly HostRule[] => {
  const read = readHostRules(hosts);
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
};
const named = rules("api.example.com", "files.example.com:8443", "203.0.113.7:9000", "[2001:db8::7]:443");

describe("a host that the package names", () => {
  test.each([
    "api.example.com:443",
    "api.example.com:80",
    "API.Example.COM:443",
    "files.example.com:8443",
    "203.0.113.7:9000",
    "[2001:db8::7]:443",
  ])("%s is admitted", (asked) => expect(admitHost(asked, named)).toMatchObject({ allowed: true }));
});

describe("no trick makes another host look like it", () => {
  test.each([
    ["another host", "example.com:443"],
    ["a host below it", "evil.api.example.com:443"],
    ["a host that ends like it", "evilapi.example.com:443"],
    ["a host that begins like it", "api.example.com.evil.org:443"],
    ["a dot at its end", "api.example.com.:443"],
    ["two dots", "api..example.com:443"],
    ["another port", "api.example.com:22"],
    ["the other port of a host named with one", "files.example.com:443"],
    ["no port", "api.example.com"],
    ["an empty port", "api.example.com:"],
    ["a port with a sign", "api.example.com:+443"],
    ["a port with a zero before it", "api.example.com:0443"],
    ["a port beyond the last", "api.example.com:65979"],
    ["two ports", "api.example.com:443:80"],
    ["a user before it", "api.example.com@evil.org:443"],
    ["a user that is another host", "evil.org@api.example.com:443"],
    ["a path behind it", "api.example.com:443/../evil"],
    ["a fragment", "evil.org#api.example.com:443"],
    ["a backslash", "evil.org\\@api.example.com:443"],
    ["an escape", "api%2eexample.com:443"],
    ["a byte of nothing", "api.example.com\0.evil.org:443"],
    ["a blank", "api.example.com :443"],
    ["a line break", "api.example.com:443\r\nHost: evil.org"],
    ["a letter of another script", "аpi.example.com:443"],
    ["a full-width dot", "api。example．com:443"],
    ["a scheme", "https://api.example.com:443"],
    ["loopback", "127.0.0.1:443"],
    ["loopback as one number", "2130706433:443"],
    ["loopback in hexadecimal", "0x7f000001:443"],
    ["loopback in octal", "0177.0.0.1:443"],
    ["loopback cut short", "127.1:443"],
    ["loopback of version 6", "[::1]:443"],
    ["loopback in disguise", "[::ffff:127.0.0.1]:443"],
    ["an address with a zone", "[fe80::1%25eth0]:443"],
    ["the machine's keeper of secrets", "169.254.169.254:80"],
    ["localhost", "localhost:443"],
    ["nothing", ""],
  ])("%s", (_, asked) => expect(admitHost(asked, named)).toMatchObject({ allowed: false }));
});

test.each([
  "*.example.com",
  "http://example.com",
  "exa mple.com",
  "127.1",
  "0x7f.0.0.1",
  "example.com/",
  "",
  "user@example.com",
  "[::1",
  "a:99999",
])("a package that names %j as a host gets an error that says what to write", (host) => {
  const read = readHostRules([host]);
  expect(read.ok ? "ok" : read.error.message).toContain("write a name or an address");
});

test.each([
  "127.0.0.1",
  "127.255.255.254",
  "10.1.2.3",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "224.0.0.1",
  "255.255.255.255",
  "::1",
  "::",
  "fe80::1",
  "fc00::1",
  "fd12::1",
  "ff02::1",
  "::ffff:10.0.0.1",
  "::ffff:7f00:1",
  "::127.0.0.1",
  "64:ff9b::a00:1",
  "2002:a00:1::",
  "no address",
])("%s is not on the internet", (address) => expect(isInside(address)).toBe(true));

test.each(["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700:4700::1111"])("%s is", (address) =>
  expect(isInside(address)).toBe(false),
);
