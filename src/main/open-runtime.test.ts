import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { domainError } from "#core/errors";
import { type DisposalStack, err, systemClock, systemRandom } from "#core/values";
import { initWorkspace } from "#operate";
import { testWorkspace } from "../../test/support/runtime-workspace.ts";
import { openRuntime, standard, type Wiring } from "./open-runtime.ts";

const places = Object.keys(standard) as (keyof Wiring)[];
const refusal = domainError("STORE_UNAVAILABLE", "planted: this place cannot be opened");

/** The standard wiring in which every place says when it was opened and closed, and one of them fails. */
function failingAt(failing: keyof Wiring | undefined, said: string[], how: "answers" | "throws" = "answers"): Wiring {
  const wrapped = places.map((place) => {
    const opener = async (needs: never, stack: DisposalStack) => {
      if (place === failing && how === "throws") throw new Error(refusal.message);
      if (place === failing) return err(refusal);
      said.push(`open ${place}`);
      stack.defer(() => {
        said.push(`close ${place}`);
      });
      return standard[place](needs, stack);
    };
    return [place, opener] as const;
  });
  return Object.fromEntries(wrapped) as unknown as Wiring;
}

const descriptors = "/proc/self/fd";

/** The files below a folder that this process holds open: what an opener acquired and registered nowhere. */
function openBelow(root: string): readonly string[] {
  if (!existsSync(descriptors)) return []; // Linux alone lists them
  return readdirSync(descriptors)
    .flatMap((fd) => {
      try {
        return readlinkSync(`${descriptors}/${fd}`);
      } catch {
        return []; // the one that lists them is gone
      }
    })
    .filter((path) => path.startsWith(`${root}/`))
    .toSorted();
}

const optionsAt = (root: string) => ({ root, clock: systemClock, random: systemRandom, env: {}, version: "test" });

test.each(places)("where %s cannot be opened, what was opened before it is closed in reverse", async (failing) => {
  const root = mkdtempSync(join(tmpdir(), "writ-openers-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  expect(await initWorkspace(root)).toMatchObject({ ok: true });
  for (const how of ["answers", "throws"] as const) {
    const said: string[] = [];
    const opened = openRuntime(optionsAt(root), failingAt(failing, said, how));
    if (how === "answers") expect(await opened).toEqual(err(refusal));
    else await expect(opened).rejects.toThrow(refusal.message);
    const before = places.slice(0, places.indexOf(failing));
    expect(said).toEqual([
      ...before.map((place) => `open ${place}`),
      ...before.toReversed().map((place) => `close ${place}`),
    ]);
    expect(openBelow(root)).toEqual([]);
  }
  // Nothing was left open: the same folder opens again and works.
  const again = await openRuntime(optionsAt(root));
  expect(again).toMatchObject({ ok: true });
  if (!again.ok) return;
  expect(openBelow(root).length > 0).toBe(existsSync(descriptors)); // or the test above would see nothing
  expect(await again.value.close()).toMatchObject({ ok: true });
  expect(openBelow(root)).toEqual([]);
});

test("a line of the wiring can be replaced: the rest is opened over it", async () => {
  const workspace = await testWorkspace();
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  const wiring: Wiring = {
    ...standard,
    workspace: async (options, stack) => {
      const folder = await standard.workspace(options, stack);
      return folder.ok ? { ok: true, value: { ...folder.value, caller: "embedder@test" } } : folder;
    },
  };
  const opened = await openRuntime(optionsAt(workspace.root), wiring);
  if (!opened.ok) throw new Error(opened.error.message);
  expect(opened.value.caller).toBe("embedder@test");
  await opened.value.close();
});
