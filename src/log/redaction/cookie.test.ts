import { expect, test } from "vitest";
import { createRedactor, type Redactor } from "./redactor.ts";

function redactor(): Redactor {
  const made = createRedactor();
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

const drawn = "k3f9a0B1c2d3e4f5A6b7";
const sent = `Cookie: theme=dark; sid=${drawn}; lang=en`;
const hidden = "Cookie: theme=dark; sid=[REDACTED:cookie]; lang=en";

test("credentials in Cookie and Set-Cookie are redacted, the rest stays", () => {
  const { redactText, redactJson } = redactor();
  for (const [text, wanted] of [
    [sent, hidden],
    [`GET / HTTP/1.1\r\n${sent}\r\nHost: a`, `GET / HTTP/1.1\r\n${hidden}\r\nHost: a`],
    [`curl -H '${sent}' https://a`, `curl -H '${hidden}' https://a`],
    [`set-cookie: id=${drawn}; Path=/; HttpOnly`, "set-cookie: id=[REDACTED:cookie]; Path=/; HttpOnly"],
    ["Cookie: sessionid=98765432", "Cookie: sessionid=[REDACTED:cookie]"],
    [`Cookie: a=${drawn}; b=1; c=${drawn}; d=2`, "Cookie: a=[REDACTED:cookie]; d=2"],
    [`Cookie: connect.sid=s%3A${drawn}.x%2By`, "Cookie: connect.sid=[REDACTED:cookie]"],
  ] as const) {
    expect(redactText(text).text).toBe(wanted);
    let nested = text as string;
    for (let depth = 0; depth < 4; depth++) {
      nested = JSON.stringify({ headers: nested });
      expect(redactText(nested).text).not.toMatch(new RegExp(`${drawn}|98765432`));
    }
  }
  const answer = { headers: { cookie: `a=${drawn}`, "Set-Cookie": [`sid=${drawn}; Path=/`, "theme=dark"] } };
  const wanted = { cookie: "a=[REDACTED:cookie]", "Set-Cookie": ["sid=[REDACTED:cookie]; Path=/", "theme=dark"] };
  expect(redactJson(answer).value).toEqual({ headers: wanted });
  expect(JSON.parse(redactText(JSON.stringify(answer)).text)).toEqual({ headers: wanted });
});

test("in a stream of any pieces, however many cookies precede it", () => {
  const redact = redactor();
  const others = Array.from({ length: 40 }, (_, index) => `cookie_${index}=of-no-interest`).join("; ");
  for (const text of [`so ${sent}\nand on`, `so Cookie: ${others}; sid=${drawn}\nand on`]) {
    const whole = redact.redactText(text).text;
    expect(whole).not.toContain(drawn);
    for (let cut = 1; cut < text.length; cut++) {
      const stream = redact.stream();
      expect(stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end()).toBe(whole);
    }
    const stream = redact.stream();
    expect([...text].map((one) => stream.push(one)).join("") + stream.end()).toBe(whole);
  }
});

test("cookies of no interest, and words about cookies, stay", () => {
  const redact = redactor();
  for (const text of [
    "Cookie: theme=dark; lang=en-GB; consent=yes; _ga=GA1.2.1234567890.1600000000",
    "Set-Cookie: theme=dark; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; SameSite=Lax",
    "a cookie: take flour, 200 g of sugar and bake for 12 minutes",
    'session({ cookie: { secure: true, maxAge: 60000 }, name: "sid" })',
    "Cookie: sid=$SESSION_ID; token=<your token>; cookie=document.cookie",
  ])
    expect(redact.redactText(text)).toEqual({ text, hits: [] });
});
