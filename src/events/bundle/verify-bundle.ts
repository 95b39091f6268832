import type { AnchorProofV1 } from "#schemas";
import type { BundleCheck, BundleVerdict, ProofBundle } from "./bundle.ts";

/**
 * Proves a bundle with nothing but the language. The page that a bundle is carries this function as text, so it refers to
 * nothing outside itself: hashes and signatures are computed here too, since a page from a disk has no others in every
 * browser. Tests hold it against the log's own verification.
 */
export function verifyBundle(bundle: ProofBundle): BundleVerdict {
  const encoder = new TextEncoder();
  const zero = "0".repeat(64);

  // SHA-256 and SHA-512 (FIPS 180-4). Their constants are the first bits of the roots of the first primes.
  const primes: number[] = [];
  for (let n = 2; primes.length < 80; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  function root(value: bigint, degree: bigint): bigint {
    let low = 0n;
    let high = value;
    while (low < high) {
      const middle = (low + high + 1n) / 2n;
      if (middle ** degree <= value) low = middle;
      else high = middle - 1n;
    }
    return low;
  }
  const mask64 = 2n ** 64n - 1n;
  const fraction = (prime: number, degree: bigint): bigint => root(BigInt(prime) << (64n * degree), degree) & mask64;
  const cubes = primes.map((prime) => fraction(prime, 3n));
  const squares = primes.slice(0, 8).map((prime) => fraction(prime, 2n));
  const k32 = Uint32Array.from(cubes.slice(0, 64), (value) => Number(value >> 32n));
  const h32 = Uint32Array.from(squares, (value) => Number(value >> 32n));

  function padded(message: Uint8Array, block: number): Uint8Array {
    const lengthBytes = block / 8;
    const total = Math.ceil((message.length + 1 + lengthBytes) / block) * block;
    const bytes = new Uint8Array(total);
    bytes.set(message);
    bytes[message.length] = 0x80;
    new DataView(bytes.buffer).setBigUint64(total - 8, BigInt(message.length) * 8n);
    return bytes;
  }

  function sha256(message: Uint8Array): Uint8Array {
    const bytes = padded(message, 64);
    const view = new DataView(bytes.buffer);
    const state = Uint32Array.from(h32);
    const w = new Uint32Array(64);
    const turn = (x: number, by: number): number => (x >>> by) | (x << (32 - by));
    for (let at = 0; at < bytes.length; at += 64) {
      for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i);
      for (let i = 16; i < 64; i++) {
        const [x, y] = [w[i - 15] as number, w[i - 2] as number];
        const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
        const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
        w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
      }
      let [a, b, c, d, e, f, g, h] = [...state] as [number, number, number, number, number, number, number, number];
      for (let i = 0; i < 64; i++) {
        const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
        const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (k32[i] as number) + (w[i] as number)) | 0;
        const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
        const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
      }
      for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = ((state[i] as number) + value) | 0;
    }
    const out = new DataView(new ArrayBuffer(32));
    for (const [i, value] of state.entries()) out.setUint32(4 * i, value);
    return new Uint8Array(out.buffer);
  }

  function sha512(message: Uint8Array): Uint8Array {
    const bytes = padded(message, 128);
    const view = new DataView(bytes.buffer);
    const state = [...squares];
    const turn = (x: bigint, by: bigint): bigint => ((x >> by) | (x << (64n - by))) & mask64;
    for (let at = 0; at < bytes.length; at += 128) {
      const w: bigint[] = [];
      for (let i = 0; i < 16; i++) w.push(view.getBigUint64(at + 8 * i));
      for (let i = 16; i < 80; i++) {
        const [x, y] = [w[i - 15] as bigint, w[i - 2] as bigint];
        const s0 = turn(x, 1n) ^ turn(x, 8n) ^ (x >> 7n);
        const s1 = turn(y, 19n) ^ turn(y, 61n) ^ (y >> 6n);
        w.push(((w[i - 16] as bigint) + s0 + (w[i - 7] as bigint) + s1) & mask64);
      }
      let [a, b, c, d, e, f, g, h] = state as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
      for (let i = 0; i < 80; i++) {
        const s1 = turn(e, 14n) ^ turn(e, 18n) ^ turn(e, 41n);
        const t1 = h + s1 + ((e & f) ^ (~e & mask64 & g)) + (cubes[i] as bigint) + (w[i] as bigint);
        const s0 = turn(a, 28n) ^ turn(a, 34n) ^ turn(a, 39n);
        const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) & mask64, c, b, a, (t1 + t2) & mask64];
      }
      for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = ((state[i] as bigint) + value) & mask64;
    }
    const out = new DataView(new ArrayBuffer(64));
    for (const [i, value] of state.entries()) out.setBigUint64(8 * i, value);
    return new Uint8Array(out.buffer);
  }

  const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const unhex = (text: string): Uint8Array =>
    Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const base64 = (text: string): Uint8Array =>
    Uint8Array.from(atob(text.replace(/\s/g, "")), (character) => character.charCodeAt(0));
  const hashText = (text: string): string => hex(sha256(encoder.encode(text)));
  function joined(...parts: readonly Uint8Array[]): Uint8Array {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  // Ed25519 (RFC 8032), verification only.
  const p = 2n ** 255n - 19n;
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const mod = (x: bigint): bigint => ((x % p) + p) % p;
  function power(base: bigint, exponent: bigint): bigint {
    let result = 1n;
    for (let b = mod(base), e = exponent; e > 0n; e >>= 1n, b = mod(b * b)) if (e & 1n) result = mod(result * b);
    return result;
  }
  const inverse = (x: bigint): bigint => power(x, p - 2n);
  const d = mod(-121665n * inverse(121666n));
  type Point = readonly [x: bigint, y: bigint];
  function add([x1, y1]: Point, [x2, y2]: Point): Point {
    const product = mod(d * x1 * x2 * y1 * y2);
    return [mod((x1 * y2 + x2 * y1) * inverse(1n + product)), mod((y1 * y2 + x1 * x2) * inverse(1n - product))];
  }
  function times(point: Point, scalar: bigint): Point {
    let result: Point = [0n, 1n];
    for (let q = point, s = scalar; s > 0n; s >>= 1n, q = add(q, q)) if (s & 1n) result = add(result, q);
    return result;
  }
  const little = (bytes: Uint8Array): bigint => BigInt(`0x${hex(Uint8Array.from(bytes).reverse())}`);
  function decode(bytes: Uint8Array): Point | undefined {
    const number = little(bytes);
    const y = number & (2n ** 255n - 1n);
    if (y >= p) return undefined;
    const square = mod((y * y - 1n) * inverse(d * y * y + 1n));
    let x = power(square, (p + 3n) / 8n);
    if (mod(x * x) !== square) x = mod(x * power(2n, (p - 1n) / 4n));
    if (mod(x * x) !== square) return undefined;
    const sign = number >> 255n;
    if (x === 0n && sign === 1n) return undefined;
    return [(x & 1n) === sign ? x : p - x, y];
  }
  const basePoint = decode(unhex(`58${"66".repeat(31)}`)) as Point;
  function isSigned(message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
    if (signature.length !== 64 || key.length !== 32) return false;
    const [r, a] = [decode(signature.slice(0, 32)), decode(key)];
    const s = little(signature.slice(32));
    if (!r || !a || s >= order) return false;
    const h = little(sha512(joined(signature.slice(0, 32), key, message))) % order;
    const [left, right] = [times(basePoint, s), add(r, times(a, h))];
    return left[0] === right[0] && left[1] === right[1];
  }

  /** RFC 8785 for what a record may hold. */
  function canonical(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const members = Object.keys(value).sort((one, other) => (one < other ? -1 : 1));
    return `{${members.map((name) => `${JSON.stringify(name)}:${canonical((value as Record<string, unknown>)[name])}`).join(",")}}`;
  }

  interface Line {
    readonly hash: string;
    readonly prev_hash: string;
    readonly seq: number;
    readonly session_id: string;
    readonly type: string;
    readonly payload: Readonly<Record<string, unknown>>;
  }
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
          : hashText(canonical(rest)) !== hash
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
    const { key_id, root_hash, tree_size, ts } = checkpoint;
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
      inclusion !== undefined && isIncluded(inclusion, tree_size, root_hash),
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

  function isSignedRoot(checkpoint: AnchorProofV1["checkpoint"]): boolean {
    const der = base64(checkpoint.public_key.replace(/-----[A-Z ]+-----/g, ""));
    const { key_id, root_hash, tree_size, ts } = checkpoint;
    const message = encoder.encode(`writ checkpoint v1\n${canonical({ key_id, root_hash, tree_size, ts })}`);
    return hex(sha256(der)) === key_id && isSigned(message, base64(checkpoint.signature), der.slice(-32));
  }

  function prefixed(byte: number, ...parts: readonly Uint8Array[]): Uint8Array {
    return sha256(joined(Uint8Array.of(byte), ...parts));
  }

  /** RFC 9162, 2.1.4.2. */
  function onlyAdds(
    old: AnchorProofV1["checkpoint"],
    newer: AnchorProofV1["checkpoint"],
    hashes: readonly string[],
  ): boolean {
    const [oldSize, newSize] = [old.tree_size, newer.tree_size];
    if (oldSize < 1 || oldSize > newSize) return false;
    if (oldSize === newSize) return hashes.length === 0 && old.root_hash === newer.root_hash;
    let at = oldSize - 1;
    let end = newSize - 1;
    while (at % 2 === 1) {
      at = Math.floor(at / 2);
      end = Math.floor(end / 2);
    }
    const path = (at === 0 ? [old.root_hash, ...hashes] : hashes).map(unhex); // a whole subtree is its own beginning
    const [first, ...siblings] = path;
    if (!first) return false;
    let [oldHash, newHash] = [first, first];
    for (const sibling of siblings) {
      if (end === 0) return false;
      if (at % 2 === 1 || at === end) {
        oldHash = prefixed(1, sibling, oldHash);
        newHash = prefixed(1, sibling, newHash);
        while (at % 2 === 0 && at !== 0) {
          at = Math.floor(at / 2);
          end = Math.floor(end / 2);
        }
      } else newHash = prefixed(1, newHash, sibling);
      at = Math.floor(at / 2);
      end = Math.floor(end / 2);
    }
    return end === 0 && hex(oldHash) === old.root_hash && hex(newHash) === newer.root_hash;
  }

  /** RFC 9162, 2.1.3.2. */
  function isIncluded(inclusion: NonNullable<AnchorProofV1["inclusion"]>, size: number, rootHash: string): boolean {
    let index = inclusion.leaf_index;
    let end = size - 1;
    if (index > end) return false;
    const { session_id, seq, head_hash, exec_head, evidence_head, closed_at } = inclusion.leaf;
    const text = canonical({ closed_at, evidence_head, exec_head, head_hash, kind: "leaf", seq, session_id });
    let hash = prefixed(0, encoder.encode(text));
    for (const sibling of inclusion.hashes.map(unhex)) {
      if (end === 0) return false;
      if (index % 2 === 1 || index === end) {
        hash = prefixed(1, sibling, hash);
        while (index % 2 === 0 && index !== 0) {
          index = Math.floor(index / 2);
          end = Math.floor(end / 2);
        }
      } else hash = prefixed(1, hash, sibling);
      index = Math.floor(index / 2);
      end = Math.floor(end / 2);
    }
    return end === 0 && hex(hash) === rootHash;
  }

  return { ok: checks.every((check) => check.ok !== false), checks };
}
