import { afterAll, beforeAll, expect, test } from "vitest";
import { mandateFor } from "../../../test/support/mandates.ts";
import { type TurnWorkspace, turnWorkspace } from "../../../test/support/turn-workspace.ts";
import { executeTurn } from "./execute-turn.ts";

let workspace: TurnWorkspace;
beforeAll(() => {
  workspace = turnWorkspace();
});
afterAll(() => workspace.close());

const named = (hosts: readonly string[]) => [
  { document: "work order WO-20261115-001", lists: [{ path: "scope.hosts", patterns: hosts }] },
];

test.each([
  ["that its package names and the order does not", ["a.example", "b.example"], ["a.example"], ["b.example"]],
  ["of all, where the order names some", ["*"], ["a.example"], []],
])("a turn does not reach a host %s", async (_, network, hosts, denied) => {
  const result = await executeTurn(workspace.deps, {
    recorder: workspace.recorder,
    capabilities: { read: ["**"], network },
    mandate: mandateFor().narrowed({ hosts: named(hosts) }),
    handler: { kind: "command", command: ["/bin/true"] },
    request: { package_id: "PKG-TEST", turn_number: 1, query: {}, declared_inputs: [], declared_outputs: [] },
  });
  const decisions = (result.evidence.capabilities ?? []).filter(({ operation }) => operation === "network");
  expect(decisions.filter(({ allowed }) => !allowed).map(({ subject }) => subject)).toEqual(denied);
  expect(decisions.filter(({ allowed }) => allowed).map(({ subject }) => subject)).toEqual([hosts.join(" ")]);
  for (const { allowed, rule } of decisions) if (!allowed) expect(rule).toContain("(scope.hosts) names a.example");
});
