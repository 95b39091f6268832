import { expect, test } from "vitest";
import { ok } from "../values/result.ts";
import { type Command, type CommandRowOf, flag, text } from "./command.ts";

interface Greeter {
  greet(name: string): string;
}

interface GreetOptions {
  readonly loud?: boolean;
  readonly name: string;
}

const greet: Command<"greeter", Greeter, GreetOptions> = {
  name: "greet",
  summary: "greet a person",
  needs: "greeter",
  json: "greeting",
  arguments: [],
  options: { loud: flag("in capitals"), name: text("name", "the person", "Ada") },
  examples: ["writ greet"],
  exits: null,
  run: async (greeter, { options }) => ok({ json: { greeting: greeter.greet(options.name) } }),
};

test("a row fits a table whose need opens the parts that it names", () => {
  const table: readonly CommandRowOf<{ greeter: Greeter }>[] = [greet];
  expect(table.map(({ name }) => name)).toEqual(["greet"]);
});

test("a row whose parts or need are not opened, and one that leaves out an answer, do not compile", () => {
  // @ts-expect-error what is opened for `greeter` cannot greet
  const lacking: readonly CommandRowOf<{ greeter: { readonly clock: unknown } }>[] = [greet];
  // @ts-expect-error nothing is opened for `greeter`
  const unknown: readonly CommandRowOf<{ clock: Greeter }>[] = [greet];
  // @ts-expect-error an option without help
  const { options: silent }: Pick<typeof greet, "options"> = { options: { name: text("name", "the person", "Ada") } };
  // @ts-expect-error `name` has no value where the caller gives none
  const { options: unsure }: Pick<typeof greet, "options"> = { options: { loud: flag("x"), name: text("name", "x") } };
  // @ts-expect-error no example
  const { examples }: Pick<typeof greet, "examples"> = { examples: [] };
  const { json: _json, ...forgetful } = greet;
  // @ts-expect-error `json` is missing
  const row: typeof greet = forgetful;
  expect([lacking, unknown, silent, unsure, examples, row]).toHaveLength(6);
});
