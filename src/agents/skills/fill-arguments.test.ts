import { expect, test } from "vitest";
import { commandIn, fillArguments } from "./fill-arguments.ts";

const fill = (body: string, prompt: string, frontmatter: object = {}) =>
  fillArguments({ id: "review", body, frontmatter: frontmatter as never }, prompt);

test.for([
  ["Review $ARGUMENTS now", "/review 12 high", "Review 12 high now"],
  ["PR $0 at $ARGUMENTS[1]", '/review "a b" high', "PR a b at high"],
  ["Costs \\$1.00 for $0", "/review 12", "Costs $1.00 for 12"],
  ["Look at $2 and $HOME", "/review 12", "Look at $2 and $HOME\n\nARGUMENTS: 12"],
  ["Look closely", "/review", "Look closely"],
  ["Review $ARGUMENTS now", "review 12", "Review $ARGUMENTS now"],
] as const)("%j for %j is %j", ([body, prompt, filled]) => {
  expect(fill(body, prompt)).toBe(filled);
});

test("names that the head lists stand for arguments by their place", () => {
  expect(fill("Issue $issue on $branch", "/review 7", { arguments: "issue branch" })).toBe("Issue 7 on ");
});

test("a request is a command only with a name behind its slash", () => {
  expect(commandIn("/Review:tests 1")).toEqual({ name: "review-tests", text: "1" });
  expect(commandIn("/")).toBeUndefined();
  expect(commandIn("see /review 1")).toBeUndefined();
});
