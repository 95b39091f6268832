import { expect, test } from "vitest";
import { coalesce } from "./coalesce.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("concurrent calls share one lookup, which sees the state at the last of them", async () => {
  let state = "old";
  let looks = 0;
  const lookUp = coalesce(() => {
    looks += 1;
    return state;
  });
  const first = lookUp("law");
  state = "new";
  const second = lookUp("law");
  expect(await Promise.all([first, second])).toEqual(["new", "new"]);
  expect(looks).toBe(1);
});

test("a call during a lookup gets the next lookup", async () => {
  let state = "old";
  let finish: () => void = () => {};
  const lookUp = coalesce(async () => {
    const seen = state;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return seen;
  });
  const early = lookUp("law");
  await turn();
  await turn(); // the lookup has read its state and is not done
  state = "new";
  const late = lookUp("law");
  finish();
  expect(await early).toBe("old");
  await turn();
  await turn();
  finish();
  expect(await late).toBe("new");
});

test("different keys are looked up apart, and a lookup that fails rejects the calls that shared it and no later ones", async () => {
  let calls = 0;
  const lookUp = coalesce((key: string) => {
    calls += 1;
    if (key === "bad" && calls === 1) throw new Error("no");
    return key;
  });
  const answers = await Promise.allSettled([lookUp("bad"), lookUp("bad"), lookUp("good")]);
  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
  expect(await lookUp("bad")).toBe("bad");
});
