import type { Bench, Contender, Measure } from "./harness.ts";
import { command, type Usage } from "./history/command.ts";
import { copyOf, killedWorkspace, workspaceWith, workspaceWithLong } from "./history/workspace.ts";

/** `HISTORY_SESSIONS=1000,20000,100000` and `HISTORY_EVENTS=10000,100000,1000000,10000000` ask for others. */
const sessionCounts = countsOf("HISTORY_SESSIONS", [1_000, 20_000]);
const eventCounts = countsOf("HISTORY_EVENTS", [10_000, 100_000, 1_000_000]);

function countsOf(variable: string, usual: readonly number[]): readonly number[] {
  return process.env[variable]?.split(",").map(Number) ?? usual;
}

const looks: readonly (readonly [string, (session_id: string) => readonly string[]])[] = [
  ["run", () => ["run", "Say hello to Ada"]],
  ["session list", () => ["session", "list"]],
  ["session show last", () => ["session", "show", "last"]],
  ["session verify ID", (id) => ["session", "verify", id]],
  ["anchor checkpoint", () => ["anchor", "checkpoint"]],
];

const readings: readonly (readonly [string, (session_id: string) => readonly string[]])[] = [
  ["show", (id) => ["session", "show", id]],
  ["show --json", (id) => ["session", "show", id, "--json"]],
  ["events --json", (id) => ["session", "events", id, "--json"]],
  ["replay", (id) => ["session", "replay", id]],
  ["verify", (id) => ["session", "verify", id]],
  ["export", (id) => ["session", "export", id, "--out", "-"]],
  ["bundle", (id) => ["session", "export", id, "--bundle", "--out", "-"]],
];

interface Place {
  readonly root: string;
  readonly session_id: string;
}

/** What a workspace's past costs: commands beside finished sessions, and commands on a long session. */
export const bench: Bench = {
  title: "history: the command line in a workspace with a past over the same in one without",
  peers: false,
  measures: async () => [...(await pastMeasures()), ...(await coldMeasures()), ...(await lengthMeasures())],
};

/**
 * The first commands after a process was killed with two generations of its journal not finished (53 MB, 3,200 of 7,160 sessions).
 * The aim is absolute, 2,000 ms each, so it is printed and not judged.
 */
async function coldMeasures(): Promise<readonly Measure[]> {
  if (process.env["WRIT_CAMPAIGN"] !== "1") return [];
  const killed = await killedWorkspace(7_160);
  const copies: string[] = [];
  const fresh = async () => {
    const copy = await copyOf(killed);
    copies.push(copy);
    return copy;
  };
  const measure = (what: string, root: () => Promise<string>, args: readonly string[]): Measure => ({
    name: `${what} after kill -9, processor time`,
    unit: "ms",
    rounds: 3,
    warmups: 0,
    contenders: [
      { name: "7,160 sessions", role: "writ", sample: async () => (await command(await root(), args)).cpuMs },
    ],
    goals: [],
  });
  return [
    measure("first list", fresh, ["session", "list"]),
    measure("next run", async () => copies.pop() ?? fresh(), ["run", "Say hello to Ada"]),
  ];
}

async function pastMeasures(): Promise<readonly Measure[]> {
  const places: (Place & { readonly count: number })[] = [];
  for (const count of [0, ...sessionCounts]) {
    // The workspace without a past has one session: there is something to look at.
    const root = await workspaceWith(Math.max(count, 1));
    places.push({ root, count, session_id: await newestSession(root) });
  }
  return looks.flatMap(([what, argsOf]) =>
    (["cpuMs", "wallMs"] as const).map((taken) =>
      beside(`${what}, ${taken === "cpuMs" ? "processor time" : "time"}`, "ms", taken, {
        rounds: 7,
        most: 1.1,
        contenders: places.map(({ root, count, session_id }) => ({
          name: `${count.toLocaleString("en")} sessions`,
          use: () => command(root, argsOf(session_id)),
        })),
      }),
    ),
  );
}

async function lengthMeasures(): Promise<readonly Measure[]> {
  const places: (Place & { readonly events: number })[] = [];
  for (const events of eventCounts) places.push({ ...(await workspaceWithLong(events)), events });
  return readings.map(([what, argsOf]) =>
    beside(`${what}, memory`, "MB", "peakMb", {
      rounds: 1,
      most: 1.3,
      contenders: places.map(({ root, session_id, events }) => ({
        name: `${events.toLocaleString("en")} events`,
        use: () => command(root, argsOf(session_id)),
      })),
    }),
  );
}

interface Beside {
  readonly rounds: number;
  readonly most: number;
  readonly contenders: readonly { readonly name: string; readonly use: () => Promise<Usage> }[];
}

/** Each contender over the first one. */
function beside(name: string, unit: string, taken: keyof Usage, { rounds, most, contenders }: Beside): Measure {
  const [first, ...others] = contenders.map((each) => each.name);
  return {
    name,
    unit,
    rounds,
    warmups: rounds > 1 ? 1 : 0,
    contenders: contenders.map(
      ({ name: who, use }): Contender => ({ name: who, role: "writ", sample: async () => (await use())[taken] }),
    ),
    goals: others.map((contender) => ({ contender, over: first ?? "", ratio: most, sense: "at most" })),
  };
}

async function newestSession(root: string): Promise<string> {
  const { readdirSync } = await import("node:fs");
  return readdirSync(`${root}/planes/ho1/sessions`).toSorted().at(-1) ?? "";
}
