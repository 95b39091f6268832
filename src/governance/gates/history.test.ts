import { expect, test } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { workOrder } from "../../../test/support/runtime-workspace.ts";
import { gatesOf } from "./gate.ts";
import { acceptanceRecorded, ordersAuthorized, pathsRespected, type SessionFacts } from "./history.ts";

const schemas = shippedRegistry();
const session = (changes: Partial<SessionFacts> = {}, order: object = {}): SessionFacts => ({
  session_id: "SES-1",
  work_order_id: "WO-20261115-001",
  acted: true,
  started: {
    work_order: workOrder({ scope: { allowed_files: ["docs/**"] }, ...order }),
    caller_id: "ada",
    dev_mode: false,
    path_authorizations: ["**"],
    agent_class: "RESIDENT",
    at: "2026-11-15T08:00:00.000Z",
    is_child: false,
  },
  completed: true,
  accepted: true,
  writes: [],
  reads: [],
  outside: null,
  ...changes,
});
const link = (to: string, more: object = {}) => ({
  authorization: { chain: [{ from: "boss", to, grants: ["*"], ...more }] },
});

test("G2 shuts for what acted without an order, under an invalid one, or under one that does not reach its caller", () => {
  expect(ordersAuthorized([session()], schemas)).toMatchObject({ gate: "G2", passed: true, checked: 1 });
  expect(ordersAuthorized([session({}, link("ada"))], schemas).passed).toBe(true);
  expect(ordersAuthorized([session({ work_order_id: null, started: null })], schemas).passed).toBe(false);
  expect(ordersAuthorized([session({}, { scope: "everything" })], schemas).passed).toBe(false);
  expect(ordersAuthorized([session({}, link("eve"))], schemas).findings[0]?.message).toContain("ends at eve");
});

test("G2 weighs the grants of an authorization again, as of when the order began", () => {
  const verdictOf = (order: object, started: object = {}) => {
    const one = session({}, order);
    return ordersAuthorized([{ ...one, started: { ...one.started!, ...started } }], schemas);
  };
  const narrow = ["order.submit", "framework:FMWK-005", "class:RESIDENT", "tool:fs.read"];
  expect(verdictOf({ ...link("ada", { grants: narrow }), tool_permissions: ["fs.read"] }).passed).toBe(true);
  const beyond = { ...link("ada", { grants: narrow }), tool_permissions: ["fs.write"] };
  expect(verdictOf(beyond).findings[0]?.message).toContain('does not grant "tool:fs.write"');
  const widened = {
    authorization: {
      chain: [
        { from: "boss", to: "eve", grants: narrow },
        { from: "eve", to: "ada", grants: ["*"] },
      ],
    },
  };
  expect(verdictOf(widened).findings[0]?.message).toContain("eve does not have");
  const expired = link("ada", { expires_at: "2026-11-15T09:00:00.000Z" });
  expect(verdictOf(expired).passed).toBe(true); // it held when it was used
  expect(verdictOf(expired, { at: "2026-11-15T10:00:00.000Z" }).passed).toBe(false);
  expect(verdictOf(beyond, { is_child: true }).passed).toBe(true);
  expect(verdictOf(beyond, { dev_mode: true }).passed).toBe(true);
});

test("G3 shuts for a write that the order, the framework or nobody's rights could name", () => {
  expect(pathsRespected([session({ writes: ["docs/a.md"] })])).toMatchObject({ passed: true, checked: 1 });
  expect(pathsRespected([session({ writes: ["src/a.ts"] })]).findings[0]?.message).toMatch(/scope\.allowed_files/);
  expect(pathsRespected([session({ writes: ["packages/PKG-X/x"] }, { scope: { allowed_files: ["**"] } })]).passed).toBe(
    false,
  );
  const narrow = session({ writes: ["docs/a.md"] });
  const started = { ...narrow.started!, path_authorizations: ["src/**"] };
  expect(pathsRespected([{ ...narrow, started }]).findings[0]?.message).toMatch(/path_authorizations/);
});

test("G3 judges by the recorded mandate where there is one, reads too", () => {
  const judged = { writes: ["src/a.ts"], reads: ["notes/a.md"], outside: [] };
  expect(pathsRespected([session(judged)])).toMatchObject({ passed: true, checked: 2 });
  const outside = ["it read notes/a.md: forbidden"];
  expect(pathsRespected([session({ ...judged, outside })]).findings).toMatchObject([{ message: outside[0] }]);
  expect(pathsRespected([session({ ...judged, writes: ["packages/PKG-X/x"] })]).passed).toBe(false);
});

test("G4 shuts for an order that was completed without, or against, its acceptance", () => {
  expect(acceptanceRecorded([session(), session({ completed: false, accepted: null })])).toMatchObject({
    passed: true,
    checked: 1,
  });
  expect(acceptanceRecorded([session({ accepted: null })]).passed).toBe(false);
  expect(acceptanceRecorded([session({ accepted: false })]).passed).toBe(false);
});

test("G0 means G0A and G0B, and nothing is nothing", () => {
  expect(gatesOf(["G5", "G0"])).toEqual(["G0A", "G0B", "G5"]);
  expect(gatesOf(undefined)).toEqual([]);
});
