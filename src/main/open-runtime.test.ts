import { expect, onTestFinished, test } from "vitest";
import { domainError } from "#core/errors";
import { type DisposalStack, err, systemClock, systemRandom } from "#core/values";
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

const optionsAt = (root: string) => ({ root, clock: systemClock, random: systemRandom, env: {}, version: "test" });

test.each(places)("where %s cannot be opened, what was opened before it is closed in reverse", async (failing) => {
  const workspace = await testWorkspace();
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  for (const how of ["answers", "throws"] as const) {
    const said: string[] = [];
    const opened = openRuntime(optionsAt(workspace.root), failingAt(failing, said, how));
    if (how === "answers") expect(await opened).toEqual(err(refusal));
    else await expect(opened).rejects.toThrow(refusal.message);
    const before = places.slice(0, places.indexOf(failing));
    expect(said).toEqual([
      ...before.map((place) => `open ${place}`),
      ...before.toReversed().map((place) => `close ${place}`),
    ]);
  }
  // Nothing was left open: the same folder opens again and works.
  const again = await openRuntime(optionsAt(workspace.root));
  expect(again).toMatchObject({ ok: true });
  if (again.ok) expect(await again.value.close()).toMatchObject({ ok: true });
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
