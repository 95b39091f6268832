import { expect, test } from "vitest";
import { coalesce } from "./coalesce.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("those who ask together share one look, which sees what was there when the last of them asked", async () => {
  let state = "old";
  let looks = 0;
  const look = coalesce(() => {
    looks += 1;
    return state;
  });
  const first = look("law");
  state = "new";
  const second = look("law");
  expect(await Promise.all([first, second])).toEqual(["new", "new"]);
  expect(looks).toBe(1);
});

test("whoever asks while a look is under way gets the next one", async () => {
  let state = "old";
  let finish: () => void = () => {};
  const look = coalesce(async () => {
    const seen = state;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return seen;
  });
  const early = look("law");
  await turn();
  await turn(); // the look has read its state and is not done
  state = "new";
  const late = look("law");
  finish();
  expect(await early).toBe("old");
  await turn();
  await turn();
  finish();
  expect(await late).toBe("new");
});

test("different things are looked at apart, and a look that fails fails for all who shared it and for nobody later", async () => {
  let calls = 0;
  const look = coalesce((key: string) => {
    calls += 1;
    if (key === "bad" && calls === 1) throw new Error("no");
    return key;
  });
  const answers = await Promise.allSettled([look("bad"), look("bad"), look("good")]);
  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
  expect(await look("bad")).toBe("bad");
});
