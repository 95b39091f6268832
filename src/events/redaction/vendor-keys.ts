import { alphanumeric, classOf, digit, lower, runEnd, startsWord, token, tokenOrDot, upper } from "./characters.ts";
import type { Finder } from "./finder.ts";

interface VendorKey {
  readonly kind: string;
  readonly prefix: string;
  /** What the rest consists of, and the least of it. */
  readonly rest: number;
  readonly least: number;
  /** So distinctive that it is taken even when glued to a word. */
  readonly glued?: boolean;
  /** The rest must look drawn at random, because people also write words behind this prefix. */
  readonly random?: boolean;
  readonly hex?: boolean;
}

const key = (kind: string, prefix: string, rest: number, least: number, more: Partial<VendorKey> = {}): VendorKey => ({
  kind,
  prefix,
  rest,
  least,
  ...more,
});

/** The shapes that vendors give their keys so that scanners such as this one can find them. */
const vendorKeys: readonly VendorKey[] = [
  key("anthropic-key", "sk-ant-", token, 20, { glued: true }),
  key("openai-key", "sk-proj-", token, 20, { glued: true }),
  key("openai-key", "sk-svcacct-", token, 20, { glued: true }),
  key("openai-key", "sk-admin-", token, 20, { glued: true }),
  key("openai-key", "sk-or-v1-", token, 20, { glued: true }),
  key("openai-key", "sk-", token, 20, { random: true }),
  key("google-key", "AIza", token, 35, { glued: true }),
  key("google-key", "GOCSPX-", token, 20, { glued: true }),
  key("google-key", "ya29.", tokenOrDot, 20),
  ...["AKIA", "ASIA", "ABIA", "ACCA"].map((prefix) => key("aws-key", prefix, alphanumeric, 16)),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) =>
    key("github-token", prefix, alphanumeric, 36, { glued: true }),
  ),
  key("github-token", "github_pat_", token, 40, { glued: true }),
  ...["glpat-", "gldt-", "glptt-", "glrt-", "glcbt-", "glsoat-", "glft-", "glimt-", "glagent-", "gloas-"].map(
    (prefix) => key("gitlab-token", prefix, tokenOrDot, 20, { glued: true }),
  ),
  ...["xoxa-", "xoxb-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xapp-", "xoxe.xoxp-"].map(
    (prefix) => key("slack-token", prefix, token, 12, { glued: true }),
  ),
  key("slack-token", "hooks.slack.com/services/", token, 8, { glued: true }),
  ...["sk_live_", "sk_test_", "rk_live_", "rk_test_"].map((prefix) => key("stripe-key", prefix, alphanumeric, 16)),
  key("stripe-key", "whsec_", alphanumeric, 24),
  key("huggingface-token", "hf_", alphanumeric, 30, { random: true }),
  key("huggingface-token", "api_org_", alphanumeric, 30),
  key("npm-token", "npm_", alphanumeric, 36),
  key("sendgrid-key", "SG.", tokenOrDot, 60, { random: true }),
  ...[..."0123456789abcdef"].map((first) => key("twilio-key", `SK${first}`, alphanumeric, 31, { hex: true })),
  key("mailgun-key", "key-", alphanumeric, 32, { hex: true }),
  key("telegram-token", ":AA", token, 33, { glued: true, random: true }),
  key("digitalocean-token", "dop_v1_", alphanumeric, 64),
  key("pypi-token", "pypi-AgE", token, 50),
  key("shopify-token", "shpat_", alphanumeric, 32),
  key("shopify-token", "shpss_", alphanumeric, 32),
  key("square-key", "sq0atp-", token, 22),
  key("square-key", "sq0csp-", token, 43),
  key("databricks-token", "dapi", alphanumeric, 32, { hex: true }),
  key("linear-key", "lin_api_", alphanumeric, 32),
  key("notion-key", "ntn_", alphanumeric, 40),
  key("groq-key", "gsk_", alphanumeric, 40),
  key("xai-key", "xai-", token, 60, { random: true }),
  key("replicate-key", "r8_", alphanumeric, 37),
  key("perplexity-key", "pplx-", alphanumeric, 40),
  key("vault-token", "hvs.", token, 24, { random: true }),
  key("grafana-token", "glsa_", token, 40),
  key("sentry-token", "sntrys_", token, 60),
  key("postman-key", "PMAK-", token, 59),
  key("newrelic-key", "NRAK-", alphanumeric, 27),
  key("writ-key", "writkey_", token, 60, { glued: true }),
  key("age-key", "AGE-SECRET-KEY-1", alphanumeric, 58),
];

export const vendorKinds: readonly string[] = [...new Set(vendorKeys.map(({ kind }) => kind))];

export const vendorKeyFinders: readonly Finder[] = vendorKeys.map((shape) => ({
  anchor: shape.prefix,
  // All of one family wake together, so that the most telling prefix, which stands first above, is asked first.
  ...(shape.prefix.startsWith("sk-") ? { wakeAt: 0 } : {}),
  find: (text, at, scan) => {
    if (!text.startsWith(shape.prefix, at)) return undefined;
    if (!shape.glued && !startsWord(text, at)) return undefined;
    const rest = at + shape.prefix.length;
    const looked = runEnd(text, rest, shape.rest, lookAhead);
    if (looked - rest < shape.least) return undefined;
    if (shape.hex && !/^[0-9a-f]+$/.test(text.slice(rest, rest + shape.least))) return undefined;
    if (shape.random && (at < scan.plainBefore || !looksRandom(text, rest, looked))) {
      scan.plainBefore = Math.max(scan.plainBefore, looked);
      return undefined;
    }
    const end = runEnd(text, looked, shape.rest);
    return {
      start: shape.kind === "telegram-token" ? digitsBefore(text, at) : at,
      end: trimDots(text, end),
      kind: shape.kind,
    };
  },
}));

/** A key that is still undecided after this much is none: so a failure costs a bounded look. */
const lookAhead = 96;

/** Upper and lower case and digits mixed, or a long run without a hyphen: not a name that a person chose. */
function looksRandom(text: string, start: number, end: number): boolean {
  let seen = 0;
  let unbroken = 0;
  let longest = 0;
  for (let at = start; at < end; at++) {
    const bits = classOf(text.charCodeAt(at));
    seen |= bits;
    unbroken = (bits & alphanumeric) === 0 ? 0 : unbroken + 1;
    if (unbroken > longest) longest = unbroken;
  }
  if ((seen & digit) === 0) return false;
  return longest >= 30 || ((seen & upper) !== 0 && (seen & lower) !== 0 && longest >= 8);
}

function trimDots(text: string, end: number): number {
  let at = end;
  while (text[at - 1] === ".") at--;
  return at;
}

function digitsBefore(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < 12 && (classOf(text.charCodeAt(start - 1)) & digit) !== 0) start--;
  return start;
}
