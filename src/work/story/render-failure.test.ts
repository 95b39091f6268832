import { expect, test } from "vitest";
import { screenOf } from "#core/terminal";
import { renderFailure } from "./render-failure.ts";

test("the command that looks into a failing provider names the profile that was asked", () => {
  const screen = screenOf({ write: () => {}, isTTY: false, columns: 200 }, {});
  const failed = { status: "failure", code: "PROVIDER_ERROR", message: "anthropic does not accept the key" };
  expect(renderFailure({ ...failed, profile: "claude" }, screen)).toContain("`writ doctor --provider claude` looks");
  expect(renderFailure(failed, screen)).toContain("`writ doctor --provider PROFILE` looks");
});
