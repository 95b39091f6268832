import { describe, expect, test } from "vitest";
import { domainError } from "#core/errors";
import type { Program, Programs } from "#core/machine";
import { err, ok, type ProcessOutcome } from "#core/values";
import { memoryFiles } from "../../../test/support/memory-files.ts";
import { createSecrets } from "./create-secrets.ts";
import type { SecretSource } from "./read-secret.ts";

function vault(sources: Record<string, SecretSource>, outcome: Partial<ProcessOutcome> = {}) {
  const registered: string[] = [];
  const commands: (readonly string[])[] = [];
  const run: Program["run"] = async ({ command }) => {
    commands.push(command);
    return command[0] === "absent"
      ? err(domainError("NOT_FOUND", "no such program"))
      : ok({
          end: { kind: "exited", code: 0 },
          stdout: "from-a-program\n",
          stderr: "",
          durationMs: 1,
          tier: "T3",
          ...outcome,
        });
  };
  const unused = () => Promise.reject(new Error("a secret's program holds no dialogue"));
  const programs: Programs = {
    admit: async () => ok({ closure: "", prepare: () => Promise.resolve(), run, start: unused }),
  };
  const secrets = createSecrets({
    sources,
    ports: {
      env: { KEY: "from-the-environment", SHORT: "ab", EMPTY: "" },
      files: memoryFiles({ "/w/keys/one": "from-a-file\n", "/etc/two": "from-far-away" }),
      programs,
      root: "/w",
    },
    register: (value) => {
      registered.push(value);
      return ok(undefined);
    },
  });
  return { secrets, registered, commands };
}

describe("secrets", () => {
  test("come from the environment, a file or a program, and are registered before they are handed out", async () => {
    const { secrets, registered } = vault({
      A: { env: "KEY" },
      B: { file: "keys/one" },
      C: { command: ["vault", "read", "c"] },
      D: { file: "/etc/two" },
    });
    const text = "a=${secret:A} b=${secret:B} c=${secret:C} d=${secret:D} again=${secret:A}";
    expect(await secrets.fill(text)).toEqual(
      ok("a=from-the-environment b=from-a-file c=from-a-program d=from-far-away again=from-the-environment"),
    );
    expect(registered).toEqual(["from-the-environment", "from-a-file", "from-a-program", "from-far-away"]);
  });

  test("a name that nobody declared is an environment variable", async () => {
    expect(await vault({}).secrets.fill("${secret:KEY}")).toEqual(ok("from-the-environment"));
  });

  test("text without a reference is left as it is, and asks nobody", async () => {
    const { secrets, commands, registered } = vault({ C: { command: ["vault"] } });
    expect(await secrets.fill("plain $HOME ${other:C}")).toEqual(ok("plain $HOME ${other:C}"));
    expect([commands, registered]).toEqual([[], []]);
  });

  test("a program is asked once, also by two who want it at once", async () => {
    const { secrets, commands } = vault({ C: { command: ["vault"] } });
    await Promise.all([secrets.fill("${secret:C}"), secrets.fill("${secret:C}")]);
    expect(commands).toHaveLength(1);
  });

  test("a value that looks like a reference is not looked into", async () => {
    const { secrets } = vault({ C: { command: ["vault"] } }, { stdout: "${secret:KEY}" });
    expect(await secrets.fill("${secret:C}")).toEqual(ok("${secret:KEY}"));
  });

  test.each([
    ["an unset variable", { X: { env: "NOWHERE" } }, "the environment variable NOWHERE is not set"],
    ["an undeclared name", {}, "the environment variable X is not set"],
    ["an absent file", { X: { file: "keys/none" } }, "the file keys/none cannot be read"],
    ["an absent program", { X: { command: ["absent"] } }, "the program absent did not start"],
    ["an empty value", { X: { env: "EMPTY" } }, "it is empty"],
    ["a value too short to be kept out of records", { X: { env: "SHORT" } }, "shorter than 3"],
  ])("%s is a clear error that names where it was looked for", async (_, sources, words) => {
    const { secrets, registered } = vault(sources);
    const filled = await secrets.fill("key ${secret:X}");
    expect(filled).toMatchObject({ ok: false, error: { code: "SECRET_NOT_FOUND", details: { secret: "X" } } });
    expect(filled.ok || filled.error.message).toContain(words);
    expect(registered).toEqual([]);
  });

  test("a program that fails is not quoted", async () => {
    const { secrets } = vault(
      { C: { command: ["vault"] } },
      { end: { kind: "exited", code: 3 }, stdout: "half-a-secret", stderr: "half-a-secret" },
    );
    const filled = await secrets.fill("${secret:C}");
    expect(filled).toMatchObject({ ok: false, error: { message: expect.stringContaining("ended with status 3") } });
    expect(JSON.stringify(filled)).not.toContain("half-a-secret");
  });
});
