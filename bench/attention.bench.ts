import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import {
  canonicalJson,
  isoTime,
  type Result,
  type SessionId,
  sha256,
  systemClock,
  systemRandom,
  zeroHash,
} from "#core/values";
import { JsonlReader } from "#log";
import { checkpointFiles } from "../src/agents/context/adapters/checkpoint-files.ts";
import { SqliteLedgerIndex } from "../src/agents/context/adapters/ledger-index/sqlite-ledger-index.ts";
import { type LedgerQuery, type LedgerSearch } from "../src/agents/context/ledger/ledger-search.ts";
import { createMemory } from "../src/agents/context/memory/memory.ts";
import type { Bench, Contender, Measure } from "./harness.ts";

const entries = Number(process.env["WRIT_BENCH_ENTRIES"] ?? 1_000_000);
const perSession = 500;
const start = Date.UTC(2026, 0, 1);
const never = new AbortController().signal;
const vocabulary = Array.from({ length: 2_000 }, (_, index) => `word${index.toString(36)}`);

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

function temporaryRoot(): string {
  const root = mkdtempSync(join(process.env["WRIT_BENCH_DIR"] ?? tmpdir(), "writ-attention-"));
  process.once("exit", () => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Closed sessions as the log writes them, without the log: a million synced appends would measure the disk. */
function writeSession(root: string, number: number, count: number): SessionId {
  const session_id = `SES-20260101-${String(number).padStart(20, "0")}`;
  const folder = join(root, "planes/ho1/sessions", session_id);
  mkdirSync(join(folder, "ledger"), { recursive: true });
  const lines: string[] = [];
  let prev_hash = zeroHash;
  const add = (type: string, payload: object) => {
    const seq = lines.length + 1;
    const ts = isoTime(start + number * 60_000 + seq * 10);
    const body = {
      id: `${number}-${seq}`,
      seq,
      session_id,
      ts,
      type,
      actor: "bench",
      payload,
      schema_version: "v1",
      parent_id: null,
      prev_hash,
    };
    prev_hash = sha256(canonicalJson(body));
    lines.push(canonicalJson({ ...body, hash: prev_hash }));
  };
  const orders = Math.floor(number / 4);
  add("session.start", {
    tier: "ho1",
    work_order_id: `WO-20260101-${orders + 100}`,
    framework_id: number % 20 ? "FMWK-005" : "FMWK-004",
  });
  for (let at = 0; at < count - 2; at++) {
    const words = [1, 7, 31].map((step) => vocabulary[(number * step + at * 13) % vocabulary.length]);
    add(at === count - 3 ? "wo.completed" : "worker.step", {
      agent_id: `AGT-${number}`,
      step_id: `s${at}`,
      output: words.join(" "),
    });
  }
  add("session.close", { ok: true, status: "success", exec_head: zeroHash, evidence_head: zeroHash });
  writeFileSync(join(folder, ".events.jsonl"), `${lines.join("\n")}\n`);
  for (const ledger of ["exec", "evidence"]) writeFileSync(join(folder, "ledger", `${ledger}.jsonl`), "");
  return session_id as SessionId;
}

const common = { ledger: "events", tiers: ["ho1"], order: "newest", limit: 20 } as const;
const questions: Readonly<Record<string, LedgerQuery>> = {
  "the newest outcomes of a framework": { ...common, framework_id: "FMWK-005", types: ["wo.completed"] },
  "outcomes of a rare framework": { ...common, framework_id: "FMWK-004", types: ["wo.completed"] },
  "what one work order did": { ...common, work_order_id: "WO-20260101-350" },
  "any of three words": { ...common, words: [vocabulary[5] ?? "", vocabulary[1500] ?? "", "nowhere"] },
  "a time in the middle": { ...common, types: ["worker.step"], until: isoTime(start + 500 * 60_000) },
};

function asking(name: string, role: Contender["role"], search: LedgerSearch, query: LedgerQuery): Contender {
  return {
    name,
    role,
    sample: async () => {
      const started = performance.now();
      must(await search.search(query, never));
      return performance.now() - started;
    },
  };
}

/** What attention costs over a long past: queries through the index, and memory from a checkpoint. */
export const bench: Bench = {
  title: `attention over a ledger of ${entries.toLocaleString("en")} entries`,
  peers: false,
  async measures() {
    const root = temporaryRoot();
    for (let number = 0; number < entries / perSession; number++) writeSession(root, number, perSession);
    const index = new SqliteLedgerIndex({ root, clock: systemClock, refreshMs: 3_600_000, waitMs: 3_600_000 });
    const before = performance.now();
    must(await index.refresh());
    const seconds = (performance.now() - before) / 1000;
    console.error(`indexed ${entries} entries in ${seconds.toFixed(1)} s (${Math.round(entries / seconds)} a second)`);

    const small = temporaryRoot();
    for (let number = 0; number < 20; number++) writeSession(small, number, perSession);
    const smallIndex = new SqliteLedgerIndex({
      root: small,
      clock: systemClock,
      refreshMs: 3_600_000,
      waitMs: 3_600_000,
    });
    must(await smallIndex.refresh());

    const measures: Measure[] = Object.entries(questions).map(([name, query]) => ({
      name,
      unit: "ms per query",
      rounds: 15,
      warmups: 2,
      contenders: [
        asking("the index over 10,000", "limit", smallIndex, query),
        asking(`the index over ${entries.toLocaleString("en")}`, "writ", index, query),
      ],
      goals: [],
    }));
    return [...measures, await rebuilding()];
  },
};

async function rebuilding(): Promise<Measure> {
  const root = temporaryRoot();
  const session_id = writeSession(root, 9_999, 100_000);
  const log = new JsonlReader({ root, rules: ledgerRules, clock: systemClock, pollMs: 50 });
  const schemas = shippedRegistry();
  const forgetful = { load: async () => [], save: async () => ({ ok: true as const, value: undefined }) };
  const memory = (checkpoints: typeof forgetful | ReturnType<typeof checkpointFiles>) =>
    createMemory({ log, schemas, key: "bench", checkpoints, rule: { every_entries: 1_000 } });
  const kept = memory(checkpointFiles(root, systemRandom));
  must(await kept.rebuild(session_id, never));
  const timed = (name: string, role: Contender["role"], from: ReturnType<typeof createMemory>): Contender => ({
    name,
    role,
    sample: async () => {
      const started = performance.now();
      must(await from.rebuild(session_id, never));
      return performance.now() - started;
    },
  });
  return {
    name: "rebuilding a session of 100,000 entries",
    unit: "ms",
    rounds: 5,
    warmups: 1,
    contenders: [timed("the whole log", "limit", memory(forgetful)), timed("from its checkpoint", "writ", kept)],
    goals: [{ contender: "from its checkpoint", over: "the whole log", ratio: 0.05, sense: "at most" }],
  };
}
