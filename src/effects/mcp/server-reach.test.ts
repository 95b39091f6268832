import { expect, test } from "vitest";
import type { McpServerSpec } from "#workspace";
import { mandateFor } from "../../../test/support/mandates.ts";
import { hostsOf, mayReadAll } from "./server-reach.ts";

test.each<[readonly string[], readonly string[], boolean]>([
  [["**"], ["**"], true],
  [["**"], ["notes/**", "docs/*.md", "a.txt"], true],
  [["notes/**"], ["notes/**"], true],
  [["notes/**"], ["notes/deep/**/*.md"], true],
  [["notes/**"], ["**"], false],
  [["notes/**"], ["notes/**", "src/**"], false],
  [["notes/*.md"], ["notes/*.md"], false], // what matches the same is not known to: it gets a process of its own
])("an order that reads %j shares a server that sees %j: %s", (read, seen, shares) => {
  expect(mayReadAll(mandateFor({ read }), seen)).toBe(shares);
});

test.each<[McpServerSpec["transport"], object, readonly string[]]>([
  [{ kind: "http", url: "https://mail.example/mcp", headers: {} }, {}, ["mail.example"]],
  [{ kind: "http", url: "http://127.0.0.1:8080/", headers: {} }, {}, ["127.0.0.1:8080"]],
  [{ kind: "http", url: "${secret:PLACE}", headers: {} }, {}, ["*"]],
  [{ kind: "stdio", command: "node", args: [], env: {}, cwd: "/w" }, {}, []],
  [{ kind: "stdio", command: "node", args: [], env: {}, cwd: "/w" }, { hosts: ["a.example"] }, ["a.example"]],
  [{ kind: "stdio", command: "node", args: [], env: {}, cwd: "/w" }, { hosts: ["a.example"], tier: "T1" }, ["*"]],
])("a call to %j with the rights %j leads to %j", (transport, rights, hosts) => {
  const program = transport.kind === "http" ? {} : { program: { where: "w", words: [], cwd: "/w", rights } };
  const spec = { name: "desk", declaredIn: "writ.yaml", transport, startTimeoutMs: 1, recheckMs: 0, ...program };
  expect(hostsOf(spec as McpServerSpec).map((act) => "host" in act && act.host)).toEqual(hosts);
});
