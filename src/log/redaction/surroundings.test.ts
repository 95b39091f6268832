import { describe, expect, test } from "vitest";
import { chance, ownPattern, registered, secretKinds } from "./corpus.fixture.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

const names = `
  MISTRAL_API_KEY x-api-key apikey CLOUDFLARE_API_TOKEN TWILIO_AUTH_TOKEN X-Auth-Token _authToken access_token accessToken
  refresh_token aws_session_token SessionToken client_secret clientSecret secret_key secretKey private_key DB_PASSWORD
  Authorization`
  .trim()
  .split(/\s+/);

function redactor(): Redactor {
  const made = createRedactor({ secrets: [registered], patterns: [ownPattern] });
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

describe("a name identifies its value", () => {
  const drawn = "9fJ2kLq81ZxTb7Vn3RwYc5Md";

  test("in text, in JSON, in JSON in JSON, and where key and value are apart", () => {
    const { redactText, redactJson } = redactor();
    for (const name of names) {
      for (const text of [
        `${name}=${drawn}`,
        `${name}: ${drawn}`,
        `export ${name}='${drawn}'`,
        JSON.stringify({ [name]: drawn }),
        JSON.stringify({ body: JSON.stringify({ [name]: [drawn] }) }),
      ])
        expect(redactText(text).text, text).not.toContain(drawn);
      expect(redactJson({ a: { [name]: drawn } }).value).toEqual({ a: { [name]: "[REDACTED:credential]" } });
      expect(redactJson({ [name]: [drawn] }).value).toEqual({ [name]: ["[REDACTED:credential]"] });
    }
  });

  test("also the secret of AWS and a short bearer, which have no shape of their own", () => {
    const { redactText, redactJson } = redactor();
    const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzKEYKEYKEY";
    const answer = { Credentials: { SecretAccessKey: secret, Expiration: "2026-11-15T04:16:33Z" } };
    expect(JSON.stringify(redactJson(answer).value)).not.toContain(secret);
    expect(redactText(JSON.stringify(answer)).text).not.toContain(secret);
    expect(redactJson({ headers: { authorization: "Bearer abc12" } }).value).toEqual({
      headers: { authorization: "Bearer [REDACTED:bearer]" },
    });
  });

  test("whatever scheme a header names", () => {
    const { redactText } = redactor();
    for (const scheme of ["token ", "Token ", "ApiKey ", "SSWS ", ""])
      expect(redactText(`Authorization: ${scheme}${drawn}`).text).toBe(`Authorization: ${scheme}[REDACTED:credential]`);
  });

  test("also a password that a person composed of all kinds of characters", () => {
    const { redactText, redactJson } = redactor();
    const composed = "Hunter2-verySecret-99";
    for (const text of [
      `password: ${composed}`,
      `DB_PASSWORD=${composed}\nDB_HOST=db`,
      `const password = '${composed}';`,
      JSON.stringify({ body: JSON.stringify({ userPassword: composed }) }),
    ])
      expect(redactText(text).text, text).not.toContain(composed);
    expect(redactJson({ password: composed }).value).toEqual({ password: "[REDACTED:password]" });
    const kept = [
      "password: Input2Password-field.value, password = $Pass-Word2x, password: hashOf(Pass-1), password=${PASS-Word-1x}",
      "the password: LoginFormInput2; password: user-password-field-2; password: PASSWORD-2",
      "https://docs/Password=Reset-Page-2/x",
    ];
    for (const text of kept) expect(redactText(text).text).toBe(text);
  });

  test("words, references and types after such a name stay", () => {
    const { redactText, redactJson } = redactor();
    for (const text of [
      "password: string; api_key: process.env.MISTRAL_API_KEY, token = getAccessTokenFromSession(request)",
      'api_key: "your-api-key-goes-here", client_secret: clientSecretOfTheApplication',
      "authorization: requireAuthorizationForEveryRequest",
      "password=correct-horse-battery-staple is an example, as is password: hunter2",
      '{"password":{"type":"string","minLength":12},"api_key":null}',
    ])
      expect(redactText(text)).toEqual({ text, hits: [] });
    const schema = { password: { type: "string", description: "at least twelve characters" }, api_key: null };
    expect(redactJson(schema).value).toBe(schema);
  });
});

test("a registered value is redacted also as a number, or where a pattern matches the number", () => {
  const made = createRedactor({ secrets: ["83920174"], patterns: [{ name: "badge", pattern: "^77[0-9]{4}$" }] });
  if (!made.ok) throw new Error(made.error.message);
  const given = { pin: 83920174, badge: [771234], count: 8392017, n: 12 };
  const wanted = { pin: "[REDACTED:secret]", badge: ["[REDACTED:badge]"], count: 8392017, n: 12 };
  expect(made.value.redactJson(given).value).toEqual(wanted);
  const { pin } = JSON.parse(made.value.redactText(JSON.stringify(given)).text) as { pin: unknown };
  expect(pin).toBe("[REDACTED:secret]");
});

test("base64 that a program has broken into lines is one text", () => {
  const { redactText } = redactor();
  for (const { kind, make, dress } of secretKinds)
    for (const before of [0, 20, 41, 55])
      for (const [width, end] of [
        [76, "\n"],
        [64, "\r\n"],
      ] as const) {
        const secret = make(chance(`lines ${kind}`));
        const encoded = Buffer.from(`${"word ".repeat(before / 5)}${dress ? dress(secret) : secret} and more of it`);
        const lines = encoded.toString("base64").match(new RegExp(`.{1,${width}}`, "g")) ?? [];
        const left = redactText(`file:\n${lines.join(end)}\nend`).text.replace(/[\r\n]/g, "");
        const decoded = Buffer.from(left.replace(/\[REDACTED:[^\]]*\]|file:|end/g, ""), "base64").toString("latin1");
        for (let at = 0; at + 12 <= secret.length; at++)
          expect(decoded.includes(secret.slice(at, at + 12)), `${kind} ${before} ${width}: ${left}`).toBe(false);
      }
});

test("connection strings with blanks, quotes, a question mark, or a token in the place of a name", () => {
  const { redactText } = redactor();
  for (const text of [
    "Server = x; Database = d; User ID = a; Password = hunter2hunter; Encrypt = True",
    'Server=x;User ID=a;Password="hunter2hunter"',
    "postgres://ada:ab?hunter2hunter@h/db",
    "https://hunter2hunter0a1b2c3d4e5f6071829@git.example.org/x.git",
  ])
    expect(redactText(text).text).not.toContain("hunter2hunter");
  const clone = "https://ada@git.example.org/x.git and mailto:ada-lovelace-of-london@example.org";
  expect(redactText(clone).text).toBe(clone);
});
