// The reference is generated; what is committed is what would be generated now.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clientOperations, operationsFile } from "../../scripts/reference/client-operations.ts";
import { referencePages } from "../../scripts/reference/pages.ts";
import { repository } from "../support/writ.ts";

const folder = `${repository}docs/reference/`;

test("docs/reference is what the code and the contracts say; `npm run docs` writes it", async () => {
  const pages = await referencePages();
  expect(readdirSync(folder).toSorted()).toEqual(pages.map(({ file }) => file).toSorted());
  const stale = pages.filter(({ file, text }) => readFileSync(`${folder}${file}`, "utf8") !== text);
  expect(stale.map(({ file }) => file)).toEqual([]);
});

test("every argument and option says what it is for", async () => {
  const [commands] = (await referencePages()).filter(({ file }) => file === "commands.md");
  expect(commands?.text).not.toMatch(/^\| `[^`]+` \| {2}\|/m);
});

test("the types of `writ/client` are what the OpenAPI document says; `npm run docs` writes them", () => {
  expect(readFileSync(`${repository}${operationsFile}`, "utf8")).toBe(clientOperations());
});
