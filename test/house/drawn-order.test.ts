import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string; readonly pathNot?: string | readonly string[] };
  readonly to: { readonly path?: string; readonly pathNot?: string | readonly string[] };
}

const { forbidden } = createRequire(import.meta.url)("../../.dependency-cruiser.cjs") as {
  readonly forbidden: readonly Rule[];
};
const page = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");
const order = (/^core < .*$/m.exec(page)?.[0] ?? "").split(" < ").map((place) => place.split(" · "));
const places = order.flat();
const listAfter = (label: string) => (new RegExp(`^${label}: (.*)$`, "m").exec(page)?.[1] ?? "").split(" ");

/** Whether the walls let a file of one place import the door of another. */
function allowed(from: string, to: string): boolean {
  const [importer, door] = [`src/${from}/file.ts`, `src/${to}/index.ts`];
  const matches = (path: string, { path: yes, pathNot: no }: Rule["from"]) =>
    (!yes || new RegExp(yes).test(path)) && ![no ?? []].flat().some((each) => new RegExp(each).test(path));
  return !forbidden.some(
    ({ name, from: here, to: there }) =>
      /leftward|kernel/.test(name) && matches(importer, here) && matches(door, there),
  );
}

test("the page draws every place that has a wall, and the package's own surface, which may import all of them", () => {
  const walled = forbidden.flatMap(({ name }) => /^(.*)-imports-only-leftward$/.exec(name)?.[1] ?? []);
  expect(places).toEqual([...walled, "embed"]);
  expect(places.length).toBe(15);
});

test("the walls allow exactly the imports that the page draws", () => {
  for (const [index, siblings] of order.entries()) {
    const left = order.slice(0, index).flat();
    for (const place of siblings)
      for (const other of places.filter((name) => name !== place))
        expect(allowed(place, other), `${place} -> ${other}`).toBe(left.includes(other));
  }
});

test("the kernel imports what the page says and no more", () => {
  const below = listAfter("runs/kernel");
  for (const place of places)
    expect(allowed("runs/kernel", place), `runs/kernel -> ${place}`).toBe(
      below.includes(place) || place === "runs/kernel",
    );
});

test("every file that the page sends its reader to is there", () => {
  const files = [...page.matchAll(/`(src\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
});

test("every exception of a wall lets a file pass that is there: one for a file that moved away is struck out", () => {
  const files = readdirSync(new URL("../../src/", import.meta.url), { recursive: true, encoding: "utf8" }).map(
    (file) => `src/${file}`,
  );
  const exceptions = forbidden
    .filter(({ name }) => ["rules-touch-no-machine", "places-are-entered-by-their-door"].includes(name))
    .flatMap(({ from, to }) => [from.pathNot ?? [], to.pathNot ?? []].flat())
    .filter((each) => !each.includes("$1"));
  // A list of names in one pattern is as many exceptions.
  const each = exceptions.flatMap((pattern) => {
    const [whole = "", before = "", names = "", after = ""] = /^([^(]*)\(([\w|/-]+)\)(.*)$/.exec(pattern) ?? [];
    return whole === "" ? [pattern] : names.split("|").map((name) => `${before}${name}${after}`);
  });
  expect(each.length).toBeGreaterThan(20);
  expect(each.filter((pattern) => !files.some((file) => new RegExp(pattern).test(file)))).toEqual([]);
});
