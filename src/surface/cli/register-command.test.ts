import { Command } from "commander";
import { expect, test } from "vitest";
import type { CliContext, CommandRowOf, Openers } from "#core/commands";
import { ok } from "#core/values";
import { registerCommand } from "./register-command.ts";

interface Opened {
  readonly lines: { read(): AsyncIterable<string> };
}

/** What a command prints that reads while it prints, and from what. */
async function printed(...line: readonly string[]): Promise<string> {
  let text = "";
  let isOpen = false;
  const stdout = { write: (piece: string) => void (text += piece), isTTY: false };
  const openers: Openers<Opened> = {
    lines: async (_, work) => {
      isOpen = true;
      const answer = await work({
        async *read() {
          for (const each of ["one", "two"]) {
            await Promise.resolve();
            yield isOpen ? each : "closed already";
          }
        },
      });
      isOpen = false;
      return answer;
    },
  };
  const row = {
    name: "read",
    group: "requests",
    summary: "",
    needs: "lines",
    json: "lines",
    arguments: [],
    options: {},
    examples: ["writ read"],
    exits: null,
    run: async ({ read }: Opened["lines"]) => ok({ json: { lines: read() }, text: () => read() }),
  } as unknown as CommandRowOf<Opened, "lines">;
  const program = new Command().option("--json");
  registerCommand(program, row, openers, { stdout, env: {} } as unknown as CliContext);
  await program.parseAsync(["read", ...line], { from: "user" });
  return text;
}

test("what is read as it is printed is printed while it can be read", async () => {
  expect(await printed()).toBe("onetwo");
  expect(JSON.parse(await printed("--json"))).toEqual({ lines: ["one", "two"] });
});
