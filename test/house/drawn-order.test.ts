import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string; readonly pathNot?: string };
  readonly to: { readonly path?: string; readonly pathNot?: string };
}

const { forbidden } = createRequire(import.meta.url)("../../.dependency-cruiser.cjs") as {
  readonly forbidden: readonly Rule[];
};
const page = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");
const order = (/^base < .*$/m.exec(page)?.[0] ?? "").split(" < ").map((place) => place.split(" · "));
const rooms = order.flat();
const listAfter = (label: string) => (new RegExp(`^${label}: (.*)$`, "m").exec(page)?.[1] ?? "").split(" ");

/** Whether the walls let a file of one room import the door of another. */
function allowed(from: string, to: string): boolean {
  const [importer, door] = [`src/${from}/file.ts`, `src/${to}/index.ts`];
  const matches = (path: string, { path: yes, pathNot: no }: Rule["from"]) =>
    (!yes || new RegExp(yes).test(path)) && (!no || !new RegExp(no).test(path));
  return !forbidden.some(
    ({ name, from: here, to: there }) =>
      /leftward|kernel/.test(name) && matches(importer, here) && matches(door, there),
  );
}

test("the page draws every room that has a wall, and no other", () => {
  const walled = forbidden.flatMap(({ name }) => /^(.*)-imports-only-leftward$/.exec(name)?.[1] ?? []);
  expect(rooms).toEqual(walled);
  expect(rooms.length).toBeGreaterThan(15);
});

test("the walls allow exactly the imports that the page draws", () => {
  for (const [place, siblings] of order.entries()) {
    const left = order.slice(0, place).flat();
    for (const room of siblings)
      for (const other of rooms.filter((name) => name !== room))
        expect(allowed(room, other), `${room} -> ${other}`).toBe(left.includes(other));
  }
});

test("the kernel stands beside the tower as the page says", () => {
  const below = listAfter("kernel");
  const above = listAfter("kernel is imported by");
  for (const room of rooms) {
    expect(allowed("kernel", room), `kernel -> ${room}`).toBe(below.includes(room));
    expect(allowed(room, "kernel"), `${room} -> kernel`).toBe(above.includes(room));
  }
});

test("every file that the page sends its reader to is there", () => {
  const files = [...page.matchAll(/`(src\/[\w./-]+)`/g)].map(([, path = ""]) => path);
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
});
