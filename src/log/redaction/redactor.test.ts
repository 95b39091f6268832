import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cardNumber, chance, ownPattern, registered, secretKinds, shapes } from "./corpus.fixture.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

const campaign = process.env["WRIT_CAMPAIGN"] ? 20 : 1;

function redactor(): Redactor {
  const made = createRedactor({ secrets: [registered], patterns: [ownPattern] });
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

/** Whether the secret is left in a form that a reader could decode by hand. */
function survives(text: string, secret: string): boolean {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const twice = JSON.stringify(escaped).slice(1, -1);
  const forms = [
    secret,
    escaped,
    twice,
    JSON.stringify(twice).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("hex"),
  ];
  const decoded = (text.match(/[A-Za-z0-9+/_-]{16,}/g) ?? []).map((run) => Buffer.from(run, "base64").toString("utf8"));
  return forms.some((form) => text.includes(form) || decoded.some((plain) => plain.includes(form)));
}

describe("the corpus of secrets", () => {
  for (const shape of shapes) {
    test(`every kind is redacted ${shape.name}`, () => {
      const { redactText } = redactor();
      const leaks: string[] = [];
      for (let round = 0; round < 5 * campaign; round++) {
        for (const { kind, make, dress } of secretKinds) {
          const secret = make(chance(`${round}/${kind}`));
          const text = shape.write(dress ? dress(secret) : secret);
          expect(survives(text, secret)).toBe(true); // else the case would prove nothing
          if (survives(redactText(text).text, secret)) leaks.push(`${kind}: ${text}`);
        }
      }
      const cases = secretKinds.length * 5 * campaign;
      if (shape.encoded) expect(leaks.length, leaks.join("\n")).toBeLessThanOrEqual(cases * 0.05);
      else expect(leaks).toEqual([]);
    });
  }

  test("the marker names the kind", () => {
    const { redactText } = redactor();
    for (const { kind, make, dress } of secretKinds) {
      const secret = make(chance(kind));
      expect(redactText(dress ? dress(secret) : secret).text).toContain(`[REDACTED:${kind}]`);
    }
    expect(redactText("badge EMP-123456 lost").text).toBe("badge [REDACTED:employee] lost");
  });
});

describe("cards", () => {
  const shaped = (number: string): readonly string[] => [
    number,
    number.replace(/(.{4})(?=.)/g, "$1 "),
    number.replace(/(.{4})(?=.)/g, "$1-"),
    number.replace(/(.{4})(?=.)/g, "$1\u00a0"),
    number.replace(/(.{4})(?=.)/g, "$1."),
    `card${number}x`,
    `№${number}`,
    [...number].join(" "),
    [...number].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join(""),
    [...number].map((digit) => String.fromCodePoint(0x660 + Number(digit))).join(""),
    `"${number}"`,
  ];

  test("are found in every usual shape, 15 to 19 digits long", () => {
    const { redactText } = redactor();
    for (const [prefix, length] of [
      ["37", 15],
      ["4", 16],
      ["5105", 16],
      ["62", 17],
      ["62", 18],
      ["4", 19],
    ] as const) {
      for (let seed = 0; seed < 20; seed++) {
        for (const shape of shaped(cardNumber(chance(`${prefix}${seed}`), prefix, length))) {
          const { text } = redactText(`pay ${shape} today`);
          expect(text, shape).toContain("[REDACTED:card]");
          expect(text.replace("[REDACTED:card]", "")).not.toMatch(/[0-9０-９٠-٩]{4}/);
        }
      }
    }
    expect(redactText("amex 3782 822463 10005.").text).toBe("amex [REDACTED:card].");
  });

  test("are found in the digits of every script, and as JSON escapes them", () => {
    const { redactText, redactJson } = redactor();
    const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCharCode(code));
    const zeros: number[] = [];
    for (let code = 0x660; code <= 0xffff; code++)
      if (isDigit(code)) {
        zeros.push(code); // the ten digits of a script are consecutive
        code += 9;
      }
    expect(zeros.length).toBeGreaterThan(30);
    for (const zero of zeros) {
      const text = [..."4111111111111111"].map((digit) => String.fromCharCode(zero + Number(digit))).join("");
      expect(redactText(`pay ${text} now`).text, zero.toString(16)).toBe("pay [REDACTED:card] now");
      const escaped = text.replace(/./g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
      expect(redactJson({ body: `{"n":"a ${escaped} b"}` }).value).toEqual({ body: '{"n":"a [REDACTED:card] b"}' });
    }
    expect(redactText('{"n":"4111\\u00a01111\\u00a01111\\u00a01111 \\u00e9t\\u00e9"}').text).toBe(
      '{"n":"[REDACTED:card] \\u00e9t\\u00e9"}',
    );
  });

  test("are found as bare JSON numbers, and the text stays JSON", () => {
    const { redactText, redactJson } = redactor();
    expect(redactText('{"n": 4111111111111111, "z": [4111111111111111]}').text).toBe(
      '{"n":"[REDACTED:card]","z":["[REDACTED:card]"]}',
    );
    expect(redactJson({ n: 4111111111111111 }).value).toEqual({ n: "[REDACTED:card]" });
  });

  test("other long numbers are left alone", () => {
    const { redactText } = redactor();
    for (const text of [
      "0.4111111111111111",
      "1763180193123456",
      "9f86d0814111111111111111a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b",
      "41111111111111111111111111",
      "4111111111111112",
      "order 1234567890123456",
      "353879234252633",
      "+49 30 1234 5678 901",
    ])
      expect(redactText(text)).toEqual({ text, hits: [] });
  });
});

describe("ordinary text", () => {
  test("is left alone: 10,000 benign lines, at most 0.5 % touched", () => {
    const { redactText } = redactor();
    const touched: string[] = [];
    for (let line = 0; line < 10_000; line++) {
      const text = benign(line);
      if (redactText(text).hits.length > 0) touched.push(text);
    }
    expect(touched.length, touched.slice(0, 20).join("\n")).toBeLessThanOrEqual(50);
  });

  test("comes back as the same reference, so that append copies nothing", () => {
    const { redactJson } = redactor();
    const payload = {
      name: "fs.read",
      args: { path: "notes/plan.md", deep: [{ a: [1, "two", null] }] },
      hash: "ab".repeat(32),
    };
    expect(redactJson(payload).value).toBe(payload);
  });

  test("prose about credentials is not a credential", () => {
    const { redactText } = redactor();
    for (const text of [
      "The bearer of this letter may pass; bearer authentication is required here.",
      "Basic understanding of task-management-software-with-long-names is enough",
      "set password=$PASSWORD in the shell",
      "see https://example.org:8080/a@b and http://localhost:3000/x?y=1",
      "sk-button-primary-large-outline-rounded-corner",
      "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
      "a JWT starts with eyJ, and a private key with -----BEGIN PRIVATE KEY-----",
      "postgres://user:${DB_PASSWORD}@host/db",
    ])
      expect(redactText(text)).toEqual({ text, hits: [] });
  });
});

const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc
    .array(
      fc.constantFrom(
        "4111 1111 1111 1111",
        "sk-ant-",
        "a1B2c3D4e5F6g7H8i9J0k",
        "Bearer ",
        "[REDACTED:card]",
        "[REDACTED:",
        "EMP-123456",
        "eyJhbGciOiJIUzI1NiJ9",
        ".",
        "://u:p@h",
        "%34",
        '"',
        "\\",
        "\n",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        registered,
        "password=",
        "host=x;",
        "{",
        "}",
        ":",
        "1",
        "4",
      ),
    )
    .map((parts) => parts.join("")),
);

describe("laws", () => {
  test("redacting twice is redacting once", () => {
    const { redactText } = redactor();
    fc.assert(
      fc.property(anyText, (text) => {
        const once = redactText(text).text;
        expect(redactText(once).text).toBe(once);
      }),
      { numRuns: 3_000 * campaign },
    );
  });

  test("a credential after a quote is redacted, however often its JSON was put into JSON", () => {
    const { redactText } = redactor();
    const token = "eyJhbGciOiJIUzI1NiJ9";
    for (const text of [`Bearer "${token}"`, `Bearer \t${token}`, `{"Authorization":"Bearer ${token}"}`]) {
      let nested = text;
      for (let depth = 0; depth < 4; depth++) {
        expect(redactText(nested).text, nested).not.toContain(token);
        nested = JSON.stringify(nested);
      }
    }
  });

  test("JSON stays JSON, with the same structure", () => {
    const { redactText, redactJson } = redactor();
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: "grapheme" }),
        anyText,
        fc.constantFrom(4111111111111111, 12, "x"),
        (value, text, number) => {
          const document = { value, list: [text, number], [`k${text}`]: { number } };
          const clean: unknown = redactJson(document).value;
          expect(Object.keys(clean as object)).toHaveLength(3);
          expect(JSON.parse(redactText(JSON.stringify(document)).text)).toEqual(JSON.parse(JSON.stringify(clean)));
        },
      ),
      { numRuns: 2_000 * campaign },
    );
  });

  test("hostile text costs linear time", () => {
    const { redactText } = redactor();
    // Each would take minutes if a finder read its surroundings repeatedly, and the test ends after one.
    for (const unit of [
      "4",
      "4 ",
      "eyJ",
      "-----BEGIN PRIVATE KEY-----",
      "a://",
      "sk-",
      "bearer ",
      "%41",
      "QUJDRA",
      "password=abc ",
      "4111 ",
      "４",
      "secret_access_key=",
      "api_key=",
      "authorization: token ",
      "\\u0034",
      "\\u00344111 1111 1111 1111 ",
      "JQQJ99",
      "password = x ",
      "https://a0b1c2d3e4f5a0b1c2d3e4f5@",
      `${"QUJD".repeat(19)}\n`,
      "41",
      "[",
      '{"a":',
      "\\",
      "postgres://u:p?@h ",
      "eyJaaaaaaaaaaaa..",
      "Private-Lines: 800\nAAAA\n",
      `"d":"${"A1b2".repeat(10)}"`,
      '"kty":',
      "a=cookie:",
      "cookie: a=b; ",
      "curl -u ",
      "curl -u a:",
      " -px",
      "mysql -p'",
      "sshpass -p",
      "PGPASSWORD='",
    ])
      for (const before of ["", "\\u0034 "]) redactText(before + unit.repeat(Math.ceil(1_000_000 / unit.length)));
  }, 60_000);

  test("prototype keys are plain data, keys with secrets are cleaned and never lost", () => {
    const { redactJson } = redactor();
    const hostile: unknown = JSON.parse('{"__proto__":"EMP-123456","constructor":"x","EMP-111111":1,"EMP-222222":2}');
    const clean = redactJson(hostile).value as Record<string, unknown>;
    expect(JSON.stringify(clean)).toBe(
      '{"__proto__":"[REDACTED:employee]","constructor":"x","[REDACTED:employee]":1,"[REDACTED:employee]#2":2}',
    );
    expect(Object.getPrototypeOf(clean)).toBe(Object.prototype);
  });
});

describe("options", () => {
  test("a broken, empty-matching, misnamed or endless pattern is refused with its name", () => {
    for (const pattern of [
      { name: "open", pattern: "(" },
      { name: "every", pattern: "a*" },
      { name: "Not A Name", pattern: "x" },
      { name: "long", pattern: "x".repeat(1001) },
    ]) {
      const made = createRedactor({ patterns: [pattern] });
      expect(made.ok).toBe(false);
      if (!made.ok) {
        expect(made.error.code).toBe("CONFIG_INVALID");
        expect(made.error.message).toContain(pattern.name);
      }
    }
  });

  test("patterns run on RE2: what it does not know is refused, what would hang a backtracking engine ends", () => {
    for (const pattern of ["(?=x)y", "(a)\\1", "(?<!b)a"])
      expect(createRedactor({ patterns: [{ name: "other", pattern }] })).toMatchObject({ ok: false });
    const made = createRedactor({ patterns: [{ name: "slow", pattern: "(?i)(a+)+b" }] });
    if (!made.ok) throw new Error(made.error.message);
    const text = "aA".repeat(50_000);
    expect(made.value.redactText(`${text}c`).hits).toEqual([]);
    expect(made.value.redactText(`${text}b`).text).toBe("[REDACTED:slow]");
  });

  test("a short registered value counts only as a word of its own", () => {
    const made = createRedactor({ secrets: ["1234"] });
    if (!made.ok) throw new Error(made.error.message);
    expect(made.value.redactText("pin 1234, not 12345 or a1234").text).toBe(
      "pin [REDACTED:secret], not 12345 or a1234",
    );
  });
});

/** Lines as in real logs and prompts. */
function benign(seed: number): string {
  const random = chance(`benign ${seed}`);
  const number = (most: number) => Number(Buffer.from(random.bytes(6)).readUIntBE(0, 6) % most);
  const hex = (bytes: number) => Buffer.from(random.bytes(bytes)).toString("hex");
  const crockford = (length: number) =>
    [...random.bytes(length)].map((byte) => "0123456789abcdefghjkmnpqrstvwxyz"[byte & 31]).join("");
  const uuid = () => hex(16).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
  const words = [
    "the",
    "worker",
    "reads",
    "a",
    "plan",
    "Bearer",
    "basic",
    "key",
    "token",
    "of",
    "session",
    "chapter",
    "task-force",
    "risk-averse",
    "password",
    "createSessionHandlerFactoryForTests",
    "AccountKey",
    "number",
  ];
  const prose = () => Array.from({ length: 12 }, () => words[number(words.length)]).join(" ");
  const time = new Date(1_700_000_000_000 + number(100_000_000_000)).toISOString();
  const lines = [
    prose,
    () => `${time} INFO request ${uuid()} took ${number(5000)} ms`,
    () => `SES-20261115-${crockford(20)} ${crockford(26)} WO-20261115-${String(number(999)).padStart(3, "0")}`,
    () => `sha256:${hex(32)} ${hex(20)} ${hex(8)}`,
    () => `order no. ${number(10 ** 10)} of ${number(10 ** 8)} at ${number(100)}.${number(100)} EUR`,
    () => `call +49 ${number(900) + 100} ${number(10 ** 7)} or (${number(900) + 100}) 555-${number(9000) + 1000}`,
    () =>
      `{"ts":"${time}","ms":${1_700_000_000_000 + number(10 ** 11)},"us":${1_700_000_000_000_000 + number(10 ** 14)},"ratio":0.${number(10 ** 14)}${number(90) + 10}}`,
    () => `https://example.org/a/${crockford(12)}/edit?tab=2&id=${number(10 ** 9)}#top ${prose()}`,
    () => `src/events/${words[number(5)]}.ts:${number(400)}:${number(80)} - error TS${number(9000)}: ${prose()}`,
    () =>
      `10.0.${number(255)}.${number(255)} - - [15/Nov/2026:04:16:33 +0000] "GET /v1/runs/${uuid()} HTTP/1.1" 200 ${number(99999)}`,
    () =>
      `const handler${number(99)} = createSessionHandlerFactoryForTests({ retries: ${number(9)}, baseURL: "http://localhost:${number(9999)}" });`,
    () => `data ${Buffer.from(random.bytes(48)).toString("base64")} end`,
    () => `版本 ${number(99)} 已发布，共 ${number(10 ** 6)} 次 – naïve façade №${number(10 ** 6)}`,
    () => `| ${number(9999)} | ${number(9999)} | ${number(9999)} | ${number(9999)} |`,
    () =>
      `ISBN 978-3-${number(90) + 10}-${number(900000) + 100000}-${number(9)}, EAN ${4_000_000_000_000 + number(10 ** 11)}, IBAN DE${number(90) + 10} 3704 0044 0532 0130 00`,
  ];
  return (lines[seed % lines.length] as () => string)();
}
