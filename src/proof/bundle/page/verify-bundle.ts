import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { BundleCheck, BundleVerdict, ProofBundle } from "../bundle.ts";
import { canonical } from "./canonical.ts";
import { isIncluded, onlyAdds } from "./merkle-path.ts";
import { isSignedRoot } from "./signed-root.ts";

interface Line {
  readonly hash: string;
  readonly prev_hash: string;
  readonly seq: number;
  readonly session_id: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const zero = "0".repeat(64);

/** Proves a bundle in any browser, offline. Tests hold it against the log's own verification. */
export function verifyBundle(bundle: ProofBundle): BundleVerdict {
  const checks: BundleCheck[] = [];
  const say = (name: string, ok: boolean | null, detail: string): void => void checks.push({ name, ok, detail });

  /** Every line is the canonical form of what it says, has the hash that it names, and follows the one before it. */
  function chain(name: string, texts: readonly string[]): readonly Line[] {
    const lines: Line[] = [];
    let head = zero;
    for (const [index, text] of texts.entries()) {
      const where = `line ${index + 1}`;
      let line: Line;
      try {
        line = JSON.parse(text) as Line;
      } catch {
        say(name, false, `${where} is not JSON`);
        return [];
      }
      const { hash, ...rest } = line;
      const problem =
        canonical(line) !== text
          ? "is not the canonical form of what it says"
          : hashOf(canonical(rest)) !== hash
            ? "does not have the hash that it names"
            : line.prev_hash !== head
              ? "does not follow the one before it"
              : line.seq !== index + 1
                ? `has the number ${line.seq}`
                : line.session_id !== bundle.session_id
                  ? "belongs to another session"
                  : undefined;
      if (problem !== undefined) {
        say(name, false, `${where} ${problem}`);
        return [];
      }
      head = hash;
      lines.push(line);
    }
    say(name, lines.length > 0, `${lines.length} entries, head ${head.slice(0, 16)}…`);
    return lines;
  }

  const events = chain("events", bundle.events);
  const exec = chain("execution ledger", bundle.exec);
  const evidence = chain("evidence ledger", bundle.evidence);
  const eventHashes = new Set(events.map(({ hash }) => hash));
  const execHashes = new Set(exec.map(({ hash }) => hash));
  const strays = [...exec, ...evidence].filter(({ payload }) => !eventHashes.has(String(payload["event_hash"])));
  const unbacked = evidence.filter(({ payload }) => !execHashes.has(String(payload["exec_hash"])));
  say(
    "ledgers",
    strays.length + unbacked.length === 0,
    strays.length + unbacked.length === 0
      ? "every entry names an event of this session, every piece of evidence its entry"
      : `${strays.length} entries name no event of this session, ${unbacked.length} pieces of evidence no entry`,
  );
  const last = events.at(-1);
  if (last?.type === "session.close") {
    const named = [last.payload["exec_head"], last.payload["evidence_head"]];
    const isNamed = [exec, evidence].every((ledger, index) => {
      const before = ledger.filter(({ payload }) => payload["event_hash"] !== last.hash);
      return (before.at(-1)?.hash ?? zero) === named[index];
    });
    say(
      "close",
      isNamed,
      isNamed ? "the last event names both ledgers as they are" : "the ledgers are not those that the last event names",
    );
  } else say("close", null, "the session is still open");

  const { proof } = bundle;
  if (proof === null) say("anchor", null, "the session is not anchored yet");
  else {
    const { checkpoint, inclusion, consistency } = proof;
    const { key_id, tree_size, ts } = checkpoint;
    const signed = isSignedRoot(checkpoint);
    say(
      "signature",
      signed,
      signed ? `by the key ${key_id}, at ${ts}` : "the root is not signed by the key that it names",
    );
    const leaf = inclusion?.leaf;
    const isHead =
      leaf !== undefined && leaf.session_id === bundle.session_id && events[leaf.seq - 1]?.hash === leaf.head_hash;
    const isWhole = isHead && (leaf.closed_at === null || leaf.seq === events.length);
    say(
      "anchored head",
      isWhole,
      isWhole ? `event ${leaf.seq} is the one that was anchored` : "these events are not those that were anchored",
    );
    say(
      "under the root",
      inclusion !== undefined && isIncluded(inclusion, checkpoint),
      `of ${tree_size} ${tree_size === 1 ? "head" : "heads"}`,
    );
    if (consistency) {
      const { since, hashes } = consistency;
      const isContinued = isSignedRoot(since) && onlyAdds(since, checkpoint, hashes);
      const others = since.key_id === key_id ? "" : `, which the key ${since.key_id} signed`;
      say(
        "since the checkpoint",
        isContinued && others !== "" ? null : isContinued,
        isContinued
          ? `the root only adds to that of ${since.ts} over ${since.tree_size} ${since.tree_size === 1 ? "head" : "heads"}${others}`
          : "the root does not begin with what the older checkpoint covers",
      );
    }
  }
  return { ok: checks.every((check) => check.ok !== false), checks };
}

function hashOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
