import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, checkJson, maxJsonDepth, sha256 } from "#core/values";
import { writeText } from "../line-memory.ts";
import { SingleLine } from "../postgres/single-line.ts";
import { chance, registered, secretKinds, shapes } from "./corpus.fixture.ts";
import { readsAsBase64Text, readsAsHexText } from "./encoded.ts";
import { createRedactor, type Redactor, type RedactorOptions } from "./redactor.ts";
import { createScan, held } from "./scan.ts";

const campaign = process.env["WRIT_CAMPAIGN"] ? 20 : 1;

function redactor(options: RedactorOptions): Redactor {
  const made = createRedactor(options);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

/** What the fast path writes, after existing text; undefined where it writes nothing. */
function written(made: Redactor, value: unknown): string | undefined {
  const memory = new SingleLine();
  writeText(memory, "before ");
  const isOrdinary = made.writeOrdinary(value, memory);
  const text = memory.buffer.toString("utf8", 0, memory.end);
  expect(text.startsWith("before ") && (isOrdinary || text === "before ")).toBe(true);
  return isOrdinary ? text.slice("before ".length) : undefined;
}

const plain = redactor({});
const withSecret = redactor({ secrets: [registered, "hunter2", "abc"] });
const withPattern = redactor({ patterns: [{ name: "employee", pattern: "EMP-[0-9]{3}" }] });

/** The slow path: check, redact, write. Undefined where the fast path must write nothing. */
function longWay(value: unknown, { redactJson }: Redactor): string | undefined {
  if (!checkJson(value).ok) return undefined;
  return redactJson(value).value === value ? canonicalJson(value) : undefined;
}

function hasLargeNumber(value: unknown): boolean {
  if (typeof value === "number") return value >= 1e13;
  return typeof value === "object" && value !== null && Object.values(value).some(hasLargeNumber);
}

/** Texts that are nearly secrets: secrets in every shape, ids, hashes, encodings, chains of digits. */
const secret = fc.tuple(fc.nat(500), fc.nat(secretKinds.length - 1), fc.nat(shapes.length - 1)).map(([round, k, s]) => {
  const kind = secretKinds[k] as (typeof secretKinds)[number];
  const made = kind.make(chance(`${round}/${kind.kind}`));
  return (shapes[s] as (typeof shapes)[number]).write(kind.dress ? kind.dress(made) : made);
});
const unit = fc.oneof(
  fc.constantFrom(...'abcdefABCDEF0123456789-_./+% \t"\\~:=@\n'),
  fc.constantFrom("sk-", "://", "key-", "eyJ", "hunter2", "EMP-123", "\u00e9", "\u0660", "\ud83d\ude00", "AKIA", "hf_"),
);
const text = fc.oneof(
  { weight: 2, arbitrary: secret },
  { weight: 3, arbitrary: fc.array(unit, { maxLength: 60 }).map((units) => units.join("")) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  {
    weight: 2,
    arbitrary: fc
      .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 14, maxLength: 64 })
      .map((hex) => hex),
  },
  { weight: 1, arbitrary: fc.string().map((inner) => Buffer.from(inner).toString("base64")) },
  { weight: 1, arbitrary: fc.string().map((inner) => Buffer.from(inner).toString("hex")) },
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.constant(undefined), fc.bigInt()),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom("a", "b", "10", "9", "__proto__", "toString")), tie("any"), {
      maxKeys: 5,
    }),
  ),
})).any;

test("the fast path writes exactly where the slow path changes nothing, and writes the same bytes", () => {
  fc.assert(
    fc.property(value, fc.constantFrom(plain, withSecret, withPattern), (one, made) => {
      const short = written(made, one);
      const long = longWay(one, made);
      if (short === undefined && long !== undefined) return hasLargeNumber(one); // left to the slow path on purpose
      expect(short).toBe(long);
      return true;
    }),
    { numRuns: 3_000 * campaign },
  );
});

test("everything but plain JSON takes the slow path, which reports the problem", () => {
  const deep = JSON.parse(`${"[".repeat(maxJsonDepth + 1)}${"]".repeat(maxJsonDepth + 1)}`) as unknown;
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const strange = [deep, cyclic, Number.NaN, 2 ** 53, new Date(0), new Map(), () => 1, Symbol("s"), "\ud800"];
  const bare = [undefined, [undefined], { a: undefined }, { "\udfff": 1 }, 4111111111111111, { n: 1e14 }];
  for (const one of [...strange, ...bare]) expect(written(plain, one)).toBeUndefined();
  expect(written(plain, { "-0": -0, b: [1.5, true, null, "\u2028"], c: {}, d: [] })).toBe(
    '{"-0":0,"b":[1.5,true,null,"\u2028"],"c":{},"d":[]}',
  );
  expect(written(plain, [0, 9, 10, 999_999_999, 1e9, 12_345_678_901, -1, -10, 1e-7, 0.1])).toBe(
    "[0,9,10,999999999,1000000000,12345678901,-1,-10,1e-7,0.1]",
  );
});

test("a key is scanned as a value is, also when its shape is known", () => {
  for (let again = 0; again < 3; again++) {
    expect(written(plain, { "4111 1111 1111 1111": 1 })).toBeUndefined();
    expect(written(withSecret, { hunter2: 1, a: 2 })).toBeUndefined();
    expect(written(plain, { hunter2: 1, a: 2 })).toBe('{"a":2,"hunter2":1}');
    expect(written(plain, { é: 1, a: "b" })).toBe('{"a":"b","é":1}');
  }
});

test("an object whose keys identify its values takes the slow path", () => {
  for (const one of [{ kty: "oct", k: "c2VjcmV0LXNlY3JldA" }, { cookie: "sid=12345678" }, { MYSQL_PWD: "hunter2" }])
    for (const value of [one, [{ one }], { kept: 1, ...one }]) {
      expect(written(plain, value)).toBeUndefined();
      expect(longWay(value, plain)).toBeUndefined();
    }
});

test("more shapes than are cached are written all the same", () => {
  for (let index = 0; index < 5_000; index++)
    expect(written(plain, { [`z${index}`]: 1, a: 2 })).toBe(`{"a":2,"z${index}":1}`);
});

test("what a run would decode to is judged as Node decodes it", () => {
  const judge = (bytes: Buffer) => {
    let odd = 0;
    for (const byte of bytes) if ((byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) || byte >= 127) odd++;
    return bytes.length > 0 && odd * 10 <= bytes.length;
  };
  const base64 = fc.string({ unit: fc.constantFrom(..."AZaz09+/-_QWxhbGVu"), minLength: 20, maxLength: 40 });
  const words = fc.string({ minLength: 15, maxLength: 30 }).map((each) => Buffer.from(each).toString("base64url"));
  fc.assert(
    fc.property(fc.oneof(base64, words), (run) => {
      const first = run.slice(0, 32);
      if (first.length % 4 === 1) return; // no whole byte in the last character: Node and we leave it out alike
      expect(readsAsBase64Text(run, 0, run.length)).toBe(judge(Buffer.from(first, "base64")));
    }),
    { numRuns: 2_000 * campaign },
  );
  fc.assert(
    fc.property(fc.string({ minLength: 10, maxLength: 20 }), (inner) => {
      const run = Buffer.from(inner).toString("hex");
      expect(readsAsHexText(run, 0, run.length)).toBe(judge(Buffer.from(run.slice(0, 32), "hex")));
    }),
  );
});

test("an enumerable key on Object.prototype is no object's own: the fast path writes nothing while it exists", () => {
  const memory = new SingleLine();
  const ordinary: boolean[] = [plain.writeOrdinary({ a: 1 }, memory)];
  const polluted = { value: "by somebody", enumerable: true, configurable: true, writable: true };
  Reflect.defineProperty(Object.prototype, "polluted", polluted);
  try {
    ordinary.push(plain.writeOrdinary({ a: 1 }, memory), plain.writeOrdinary([], memory));
  } finally {
    Reflect.deleteProperty(Object.prototype, "polluted");
  }
  ordinary.push(plain.writeOrdinary({ a: 1 }, memory));
  expect(ordinary).toEqual([true, false, false, true]);
});

test("shapes that begin alike are distinguished, in whatever order they come", () => {
  const objects = [{ a: 1, b: 2 }, { a: 1, c: 3 }, { b: 2, a: 1 }, { a: 1 }, {}, { a: 1, b: 2, c: 3 }, { a: 1, b: 2 }];
  for (const one of [...objects, ...objects.toReversed()]) expect(written(plain, one)).toBe(canonicalJson(one));
});

test("hashes, which have a fast path of their own, are judged as the slow path judges them", () => {
  const hash = sha256("any");
  const at = (start: number, text: string) => hash.slice(0, start) + text + hash.slice(start + text.length);
  const card = "4111111111111111";
  const inside = Array.from({ length: 64 - card.length + 1 }, (_, start) => at(start, card));
  const rows = [12, 13, 14, 15].flatMap((row) => [0, 1, 49].map((start) => at(start, "1".repeat(row))));
  const hidden = Buffer.from("sk-ant-api03-abcdefghijklmnopqrs").toString("hex");
  const other = [hash.toUpperCase(), at(9, "g"), at(63, "g"), at(0, "š"), at(40, "\u0161"), hash.slice(1), `${hash}0`];
  const marked = [at(20, "deadbeef0123"), at(5, "ACCA"), at(5, "acca"), at(31, "DEADBEEF0123"), at(0, "acca")];
  const registeredHex = redactor({ secrets: ["deadbeef0123", "ABCDEF"] });
  const patterned = redactor({ patterns: [{ name: "own", pattern: "deadbeef" }] });
  const texts = [hash, card.repeat(4), ...inside, ...rows, hidden, ...other, ...marked];
  for (const made of [plain, registeredHex, patterned])
    for (const text of texts) expect(written(made, { text })).toBe(longWay({ text }, made));
  expect(written(plain, { text: hidden })).toBeUndefined();
  expect(written(registeredHex, { text: marked[0] })).toBeUndefined();
  expect(written(patterned, { text: marked[0] })).toBeUndefined();
});

test("a finder whose anchor counts in any case finds it in a hash, whichever case it is named in", () => {
  for (const anchor of ["ACE", "ace", "Ace"]) {
    const find = (_: string, at: number) => ({ start: at, end: at + 3, kind: "own" });
    const scan = createScan([{ anchor, find }], [], 8);
    const text = `${"0".repeat(30)}ace${"1".repeat(31)}`;
    expect(scan.find(text)).toHaveLength(1);
    expect(scan.inspect(text, new Uint8Array(64), 0)).toBe(held);
  }
});
