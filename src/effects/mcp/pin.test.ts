import { expect, test } from "vitest";
import { ok, type Result, sha256 } from "#core/values";
import { launchText, type McpServerSpec } from "#workspace";
import { manualClock } from "../../core/values/manual-clock.ts";
import type { McpConnection } from "./connection.ts";
import { OfferLooks } from "./look-at-offer.ts";
import { pinStateOf, type ToolPin } from "./pin.ts";
import { PinJudge } from "./pin-judge.ts";
import { readOffer } from "./wire-tool.ts";

const definition = { name: "pay", inputSchema: { type: "object" } };
const offer = readOffer([definition]);
const offered = offer.tools.get("pay");
const spec = { name: "bank", transport: { kind: "http", url: "https://bank.example/mcp" } } as unknown as McpServerSpec;
const pin = (launch: string): ToolPin => ({
  server: "bank",
  tool: "pay",
  name: "bank.pay",
  definition,
  launch,
  hash: offered?.hash ?? sha256(""),
});

test("the same definition from a server that is reached in another way is a changed tool", () => {
  expect(pinStateOf(pin("here"), offered, "here")).toBe("pinned");
  expect(pinStateOf(pin("here"), offered, "elsewhere")).toBe("changed");
});

test("that is known before the server is asked", () => {
  const judge = new PinJudge(spec);
  expect(judge.refusal(pin(launchText(spec)))).toBeUndefined();
  expect(judge.compare(pin(launchText(spec)), offer)).toEqual(ok(undefined));
  expect(judge.refusal(pin("elsewhere"))).toMatchObject({ code: "TOOL_NOT_ALLOWED" });
});

test("who asks while a look is under way waits for one that begins after they asked", async () => {
  const answers: ((tools: Result<readonly unknown[]>) => void)[] = [];
  const connection = {
    isLost: false,
    listTools: () => new Promise<Result<readonly unknown[]>>((resolve) => answers.push(resolve)),
  } as unknown as McpConnection;
  const looks = new OfferLooks({ connect: async () => ok(connection), clock: manualClock(), timeoutMs: 1000 });
  const first = looks.fresh();
  await expect.poll(() => answers.length).toBe(1);
  const second = looks.fresh();
  answers[0]?.(ok([definition]));
  expect(await first).toMatchObject({ ok: true });
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.(ok([]));
  const seen = await second;
  expect(seen.ok && seen.value.tools.size).toBe(0);
});
