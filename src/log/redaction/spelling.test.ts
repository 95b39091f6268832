import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cardNumber, chance } from "./corpus.fixture.ts";
import { createRedactor } from "./redactor.ts";

/** Ways to write a secret so that a search for it as it is does not find it. */
const spellings: Readonly<Record<string, (secret: string, draw: (most: number) => number) => string>> = {
  "zero-width spaces between all characters": (secret) => [...secret].join("\u200b"),
  "zero-width characters here and there": (secret, draw) =>
    [...secret]
      .map((each) => each + (draw(3) === 0 ? "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"[draw(7)] : ""))
      .join(""),
  "full width": (secret) =>
    [...secret]
      .map((each) => (each > " " && each <= "~" ? String.fromCharCode(each.charCodeAt(0) + 0xfee0) : each))
      .join(""),
  "spaces between all characters": (secret) => [...secret].join(" "),
  "spaces between pairs": (secret) => groups(secret, 2).join(" "),
  "spaces between groups of three": (secret) => groups(secret, 3).join(" "),
  "spaces between groups of four": (secret) => groups(secret, 4).join(" "),
  "spaces between groups of five": (secret) => groups(secret, 5).join(" "),
  "dashes between all characters": (secret) => [...secret].join("-"),
  "dashes between groups of four": (secret) => groups(secret, 4).join("-"),
  "dots between all characters": (secret) => [...secret].join("."),
  "underscores between all characters": (secret) => [...secret].join("_"),
  "no-break spaces between all characters": (secret) => [...secret].join("\u00a0"),
  "en dashes between groups of four": (secret) => groups(secret, 4).join("\u2013"),
  capitals: (secret) => secret.toUpperCase(),
  "small letters": (secret) => secret.toLowerCase(),
  "mixed case": (secret, draw) =>
    [...secret].map((each) => (draw(2) ? each.toUpperCase() : each.toLowerCase())).join(""),
  "full width and spaced": (secret) =>
    [...secret]
      .map((each) => (each > " " && each <= "~" ? String.fromCharCode(each.charCodeAt(0) + 0xfee0) : each))
      .join(" "),
  "spaces here and there": (secret, draw) => somewhere(secret, " ", draw),
  "dashes here and there": (secret, draw) => somewhere(secret, "-", draw),
  "one space in the middle": (secret) => groups(secret, Math.ceil(secret.length / 2)).join(" "),
  "zero-width, dashed, small letters": (secret) => groups(secret.toLowerCase(), 4).join("\u200b-\u200b"),
};

/** Only registered values are looked for like this: numbers in lines and lists are no cards. */
const wider: typeof spellings = {
  "line breaks between groups of four": (secret) => groups(secret, 4).join("\n"),
  "line breaks between all characters": (secret) => [...secret].join("\n"),
  "commas and spaces between all characters": (secret) => [...secret].join(", "),
  "dashes with spaces between groups of three": (secret) => groups(secret, 3).join(" - "),
  "characters of the fifteenth plane that nobody sees": (secret) => [...secret].join("\u{e0020}"),
  "blanks of another script": (secret) => [...secret].join("\u2800"),
};

const issuers = [
  ["4", 16],
  ["53", 16],
  ["37", 15],
  ["36", 14],
  ["3530", 16],
  ["6011", 16],
] as const;

/** Whole numbers below a limit, the same in every run. */
function drawing(words: string): (most: number) => number {
  const random = chance(words);
  return (most) => (random.bytes(1)[0] as number) % most;
}

function somewhere(text: string, separator: string, draw: (most: number) => number): string {
  return [...text].map((each, at) => (at > 0 && draw(3) === 0 ? separator + each : each)).join("");
}

function groups(text: string, size: number): readonly string[] {
  return text.match(new RegExp(`.{1,${size}}`, "gs")) ?? [];
}

const alphabets = [
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  "abcdefghijklmnopqrstuvwxyz0123456789",
  "0123456789abcdef",
  "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!@#",
];

const around = [
  (text: string) => text,
  (text: string) => `the token is ${text}, keep it`,
  (text: string) => `a b c ${text} d e f`,
  (text: string) => JSON.stringify({ note: `x ${text} y` }),
  (text: string) => `line\n${text}\nline`,
];

for (const [name, spell] of Object.entries({ ...spellings, ...wider }))
  test(`a registered secret is found: ${name}`, () => {
    const draw = drawing(`registered ${name}`);
    let found = 0;
    const missed: string[] = [];
    for (let round = 0; round < 100; round++) {
      const alphabet = alphabets[round % alphabets.length] as string;
      const secret = Array.from({ length: 16 + draw(25) }, () => alphabet[draw(alphabet.length)]).join("");
      const made = createRedactor({ secrets: [secret] });
      if (!made.ok) throw new Error(made.error.message);
      const text = (around[draw(around.length)] as (text: string) => string)(spell(secret, draw));
      if (made.value.redactText(text).text.includes("[REDACTED:secret]")) found += 1;
      else missed.push(`${secret}: ${text}`);
    }
    expect(found, missed.slice(0, 5).join("\n")).toBeGreaterThanOrEqual(95);
  });

for (const [name, spell] of Object.entries(spellings))
  test(`a card number is found: ${name}`, () => {
    const draw = drawing(`card ${name}`);
    const made = createRedactor();
    if (!made.ok) throw new Error(made.error.message);
    let found = 0;
    const missed: string[] = [];
    for (let round = 0; round < 100; round++) {
      const [prefix, length] = issuers[round % issuers.length] as readonly [string, number];
      const number = cardNumber(chance(`${name} ${round}`), prefix, length);
      const text = (around[draw(around.length)] as (text: string) => string)(spell(number, draw));
      if (made.value.redactText(text).text.includes("[REDACTED:card]")) found += 1;
      else missed.push(`${number}: ${text}`);
    }
    expect(found, missed.slice(0, 5).join("\n")).toBeGreaterThanOrEqual(95);
  });

test("a stream redacts a secret whose pieces arrive one by one with something between them", () => {
  const draw = drawing("streams");
  for (const [name, spell] of Object.entries(spellings))
    for (let round = 0; round < 10; round++) {
      const secret = Array.from({ length: 24 }, () => (alphabets[0] as string)[draw(62)]).join("");
      const made = createRedactor({ secrets: [secret] });
      if (!made.ok) throw new Error(made.error.message);
      const text = `before it, ${spell(secret, draw)} and behind it`;
      const stream = made.value.stream();
      let shown = "";
      for (let at = 0; at < text.length; ) {
        const size = 1 + draw(4);
        shown += stream.push(text.slice(at, at + size));
        at += size;
      }
      shown += stream.end();
      const seen = shown.replace(/[\u00ad\u180e\u200b-\u200d\u2060\ufeff]/g, ""); // one may stand behind the secret
      expect([name, seen]).toEqual([name, "before it, [REDACTED:secret] and behind it"]);
    }
});

test("nine of ten short values that no person made up are found in other spellings as well", () => {
  const draw = drawing("short ones");
  for (const [name, spell] of Object.entries(spellings)) {
    let found = 0;
    for (let round = 0; round < 50; round++) {
      const alphabet = alphabets[round % 3] as string;
      const secret = `${alphabet[draw(26)]}${Array.from({ length: 10 + draw(4) }, () => alphabet[draw(alphabet.length)]).join("")}7f`;
      const made = createRedactor({ secrets: [secret] });
      if (!made.ok) throw new Error(made.error.message);
      if (made.value.redactText(`it is ${spell(secret, draw)}.`).text.includes("[REDACTED:secret]")) found += 1;
    }
    expect([name, found]).toEqual([name, expect.toSatisfy((count: number) => count >= 45)]);
  }
});

test("numbers with the same blank or dash between them are a card only if nothing else stands in their row", () => {
  const made = createRedactor();
  if (!made.ok) throw new Error(made.error.message);
  expect(made.value.redactText("card 411 11 111 1111 1111 please").hits).toEqual(["card"]);
  for (const text of [
    "2 411 11 111 1111 1111",
    "M411 11-111 1111 1111",
    "411\t11\t111\t1111\t1111",
    "4,11,111,111,111,1111",
  ])
    expect(made.value.redactText(text)).toEqual({ text, hits: [] });
});

test("a short value, a word and a number are found as they are, and in no other spelling", () => {
  const made = createRedactor({ secrets: ["postgres", "authentication", "20261118", "admin-1"] });
  if (!made.ok) throw new Error(made.error.message);
  for (const text of ["Postgres", "post gres", "Authentication", "2026-11-18", "Admin 1", "ａｄｍｉｎ"])
    expect(made.value.redactText(text).text).toBe(text);
  expect(made.value.redactText("postgres authentication 20261118 admin-1").hits).toHaveLength(4);
});

test("scripts and emoji that have invisible characters stay as they are", () => {
  const made = createRedactor({ secrets: ["9fJ2kLq81ZxTb7Vn3RwYc5Md"] });
  if (!made.ok) throw new Error(made.error.message);
  for (const text of ["می‌خواهم", "👩‍💻 ✔️ 1️⃣ done", "価格：１２３４円（税込）、ＡＢＣ", "\ufeffname,value\n1,2"])
    expect(made.value.redactText(text)).toEqual({ text, hits: [] });
});

test("hostile text costs linear time", () => {
  const made = createRedactor({ secrets: ["tr0ub4dor-tr0ub4dor-tr0ub4dor"] });
  if (!made.ok) throw new Error(made.error.message);
  // Each would take minutes if it was read again from every place.
  for (const unit of ["4\u200b", "a\u200b", "ａ", "t-r-0-", "tr0 ", "tr0ub4dor ", "t\u200br\u200b0-"]) {
    const stream = made.value.stream();
    for (let at = 0; at < 100; at++) stream.push(unit.repeat(100));
    stream.end();
    made.value.redactText(unit.repeat(200_000));
  }
});

test("no false alarm in 2,000 source files", () => {
  const draw = drawing("registered beside sources");
  const secrets = Array.from({ length: 20 }, (_, index) => {
    const alphabet = alphabets[index % alphabets.length] as string;
    return Array.from({ length: 16 + draw(25) }, () => alphabet[draw(alphabet.length)]).join("");
  });
  const [plain, knowing] = [createRedactor(), createRedactor({ secrets })];
  if (!plain.ok || !knowing.ok) throw new Error("no redactor");
  const alarms: string[] = [];
  let files = 0;
  for (const path of sourceFiles(2_000)) {
    files += 1;
    const text = readFileSync(path, "utf8");
    const hits = knowing.value.redactText(text).hits.filter((kind) => ["secret", "card", "password"].includes(kind));
    if (hits.length > 0) alarms.push(`${path}: ${hits.join(", ")}`);
  }
  expect([files, alarms]).toEqual([2_000, []]);
});

/** Sources of the installed packages: what agents read all day. */
function* sourceFiles(most: number): Generator<string> {
  const modules = fileURLToPath(new URL("../../../node_modules/", import.meta.url));
  let count = 0;
  for (const name of readdirSync(modules).toSorted()) {
    if (/^[.@]/.test(name)) continue;
    for (const file of readdirSync(join(modules, name), { recursive: true, encoding: "utf8" }).toSorted()) {
      const path = join(modules, name, file);
      if (!/\.[cm]?[jt]sx?$/.test(file) || !statSync(path).isFile() || statSync(path).size > 300_000) continue;
      yield path;
      count += 1;
      if (count === most) return;
    }
  }
}
