import { expect, test } from "vitest";
import { configDefaults } from "../config/defaults.ts";
import { selectProfile } from "../config/select-profile.ts";
import { noticedKeys } from "./noticed-keys.ts";

test("a key in the environment is named with a command that works in any workspace, and nothing uses it unasked", () => {
  expect(noticedKeys({})).toEqual([]);
  expect(noticedKeys({ ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "" })).toEqual([
    "ANTHROPIC_API_KEY is set: use it with `writ run --profile claude`",
  ]);
  expect(noticedKeys({ ANTHROPIC_API_KEY: "k" }, "anthropic")).toEqual([]);
  expect(selectProfile(configDefaults, "claude")).toMatchObject({
    ok: true,
    value: { provider: "anthropic", api_key: null },
  });
  expect(selectProfile(configDefaults)).toMatchObject({ ok: true, value: { provider: "scripted" } });
});

test("a profile of the workspace counts before the shipped one of its name", () => {
  const profiles = { claude: { model: "claude-opus-5", provider: "anthropic" } } as const;
  expect(selectProfile({ ...configDefaults, profiles }, "claude")).toMatchObject({ value: { model: "claude-opus-5" } });
});
