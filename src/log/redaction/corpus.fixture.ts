import { type Random, seededRandom } from "#core/values";

/** Kinds of secrets, generated at random: nothing here was ever real. */
export interface SecretKind {
  readonly kind: string;
  /** The text that must not survive. */
  make(random: Random): string;
  /** The secret in ordinary text, where it is not recognisable by itself. */
  dress?(secret: string): string;
}

/** A random source that is seeded by the words. */
export function chance(words: string): Random {
  let seed = 7;
  for (const character of words) seed = (Math.imul(seed, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return seededRandom(seed >>> 0);
}

/** The workspace of the corpus: one registered value and one pattern of its own. */
export const registered = 'tr0ub4dor & "3"/\\ß';
export const ownPattern = { name: "employee", pattern: "EMP-[0-9]{6}" };

const letters = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const mixed = `${letters}${letters.toUpperCase()}${digits}`;

export function draw(random: Random, alphabet: string, length: number): string {
  let text = "";
  for (const byte of random.bytes(length)) text += alphabet[byte % alphabet.length];
  return text;
}

/** Random characters with at least one of each class: real keys this long always have all three. */
const key = (random: Random, length: number) => `${draw(random, mixed, length - 3)}aZ7`;

export function cardNumber(random: Random, prefix: string, length: number): string {
  const body = prefix + draw(random, digits, length - prefix.length - 1);
  for (let check = 0; check <= 9; check++) if (luhn(body + check)) return body + check;
  throw new Error("one of ten digits always fits");
}

function luhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, character, index) => {
    const doubled = Number(character) * (index % 2 === 1 ? 2 : 1);
    return total + Math.floor(doubled / 10) + (doubled % 10);
  }, 0);
  return sum % 10 === 0;
}

const pick = <T>(random: Random, items: readonly T[]): T => items[(random.bytes(1)[0] as number) % items.length] as T;

function pem(random: Random): string {
  const lines = Array.from({ length: 6 }, () => draw(random, `${mixed}+/`, 64)).join("\n");
  const name = pick(random, [
    "RSA PRIVATE KEY",
    "PRIVATE KEY",
    "EC PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
  ]);
  return `-----BEGIN ${name}-----\n${lines}\n-----END ${name}-----`;
}

const base64Url = (text: string) => Buffer.from(text).toString("base64url");

export const secretKinds: readonly SecretKind[] = [
  {
    kind: "card",
    make: (random) => {
      const [prefix, length] = pick(random, [
        ["4", 16],
        ["4", 19],
        ["51", 16],
        ["2720", 16],
        ["37", 15],
        ["34", 15],
        ["6011", 16],
        ["3530", 16],
        ["62", 17],
        ["67", 18],
      ] as const);
      return cardNumber(random, prefix, length);
    },
  },
  { kind: "openai-key", make: (random) => `sk-${pick(random, ["proj-", "svcacct-", ""])}${key(random, 48)}` },
  { kind: "anthropic-key", make: (random) => `sk-ant-api03-${key(random, 93)}-AA` },
  { kind: "google-key", make: (random) => `AIza${key(random, 35)}` },
  {
    kind: "aws-key",
    make: (random) => `${pick(random, ["AKIA", "ASIA"])}${draw(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}`,
  },
  {
    kind: "github-token",
    make: (random) =>
      pick(random, [
        `ghp_${key(random, 36)}`,
        `github_pat_${key(random, 22)}_${key(random, 59)}`,
        `gho_${key(random, 36)}`,
      ]),
  },
  { kind: "gitlab-token", make: (random) => `glpat-${key(random, 20)}` },
  {
    kind: "slack-token",
    make: (random) => `xoxb-${draw(random, digits, 12)}-${draw(random, digits, 12)}-${key(random, 24)}`,
  },
  { kind: "stripe-key", make: (random) => `${pick(random, ["sk_live_", "rk_live_", "sk_test_"])}${key(random, 24)}` },
  {
    kind: "azure-key",
    make: (random) => `${draw(random, mixed, 86)}==`,
    dress: (secret) =>
      `DefaultEndpointsProtocol=https;AccountName=docs;AccountKey=${secret};EndpointSuffix=core.windows.net`,
  },
  { kind: "huggingface-token", make: (random) => `hf_${key(random, 34)}` },
  { kind: "npm-token", make: (random) => `npm_${key(random, 36)}` },
  { kind: "sendgrid-key", make: (random) => `SG.${key(random, 22)}.${key(random, 43)}` },
  { kind: "twilio-key", make: (random) => `SK${draw(random, "0123456789abcdef", 32)}` },
  { kind: "private-key", make: pem },
  { kind: "bearer", make: (random) => key(random, 40), dress: (secret) => `Authorization: Bearer ${secret}` },
  {
    kind: "basic",
    make: (random) => Buffer.from(`ada:${key(random, 12)}`).toString("base64"),
    dress: (secret) => `Authorization: Basic ${secret}`,
  },
  {
    kind: "connection-string",
    make: (random) => key(random, 18),
    dress: (secret) => `postgres://ada:${secret}@db.example.org:5432/canon?sslmode=require`,
  },
  {
    kind: "jwt",
    make: (random) =>
      `${base64Url('{"alg":"RS256","typ":"JWT"}')}.${base64Url(`{"sub":"${draw(random, digits, 10)}"}`)}.${key(random, 86)}`,
  },
  {
    kind: "private-key",
    make: (random) => Array.from({ length: 3 }, () => draw(random, `${mixed}+/`, 64)).join("\n"),
    dress: (secret) =>
      `PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: ada\nPublic-Lines: 1\nAAAAB3NzaC1yc2E=\nPrivate-Lines: 3\n${secret}\nPrivate-MAC: 5f1c`,
  },
  {
    kind: "private-key",
    make: (random) => draw(random, `${mixed}-_`, 43),
    dress: (secret) => JSON.stringify({ kty: "OKP", crv: "Ed25519", d: secret, x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapi" }),
  },
  {
    kind: "cookie",
    make: (random) => key(random, 32),
    dress: (secret) => `Cookie: theme=dark; sid=${secret}; lang=en`,
  },
  {
    kind: "password",
    make: (random) => key(random, 12),
    dress: (secret) => `curl -s -u ada:${secret} https://example.org/v1/runs`,
  },
  { kind: "secret", make: () => registered },
];

export interface Shape {
  readonly name: string;
  readonly encoded: boolean;
  write(text: string): string;
}

/** Ten forms in which a secret appears in logs. */
export const shapes: readonly Shape[] = [
  { name: "by itself", encoded: false, write: (text) => text },
  { name: "in a sentence", encoded: false, write: (text) => `I tried it with ${text}, and it failed again.` },
  { name: "in a JSON document", encoded: false, write: (text) => JSON.stringify({ user: "ada", value: text, n: 3 }) },
  {
    name: "in JSON in JSON",
    encoded: false,
    write: (text) => JSON.stringify({ body: JSON.stringify({ value: text }) }),
  },
  { name: "in a line of an environment file", encoded: false, write: (text) => `# local\nVALUE="${text}"\nOTHER=1\n` },
  { name: "in a fenced block", encoded: false, write: (text) => `Use this:\n\`\`\`\n${text}\n\`\`\`\nDone.` },
  {
    name: "in JSON in JSON in JSON",
    encoded: true,
    write: (text) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify([text]) }) }),
  },
  {
    name: "in a query string",
    encoded: true,
    write: (text) => `https://example.org/hook?value=${encodeURIComponent(text)}&n=1`,
  },
  {
    name: "in base64",
    encoded: true,
    write: (text) => `data:text/plain;base64,${Buffer.from(`value ${text}`).toString("base64")}`,
  },
  { name: "in hex", encoded: true, write: (text) => `0x${Buffer.from(text).toString("hex")}`.slice(2) },
];
