import {
  alphanumeric,
  base64,
  classOf,
  credential,
  digit,
  lower,
  pathPart,
  runEnd,
  startsWord,
  token,
  tokenOrDot,
  upper,
} from "./characters.ts";
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
  /** Letters of both cases may be all there is. */
  readonly mixed?: boolean;
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
  key("langfuse-key", "sk-lf-", token, 36),
  key("openai-key", "sk-", token, 20, { random: true }),
  key("google-key", "AIza", token, 35, { glued: true }),
  key("google-key", "GOCSPX-", token, 20, { glued: true }),
  key("google-key", "ya29.", tokenOrDot, 20),
  key("google-key", "AQ.Ab8", token, 40),
  key("google-key", "1//0", token, 40, { random: true }),
  key("google-key", "GOOG1E", alphanumeric, 50),
  ...["AKIA", "ASIA", "ABIA", "ACCA"].map((prefix) => key("aws-key", prefix, alphanumeric, 16)),
  key("aws-key", "ABSKQmVk", base64, 80),
  key("aws-key", "bedrock-api-key-", base64, 60),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) =>
    key("github-token", prefix, alphanumeric, 36, { glued: true }),
  ),
  key("github-token", "github_pat_", token, 40, { glued: true }),
  ...["glpat-", "gldt-", "glptt-", "glrt-", "glcbt-", "glsoat-", "glft-", "glimt-", "glagent-", "gloas-"].map(
    (prefix) => key("gitlab-token", prefix, tokenOrDot, 20, { glued: true }),
  ),
  ...["glffct-", "glwt-", "GR1348941"].map((prefix) => key("gitlab-token", prefix, token, 20)),
  ...["xoxa-", "xoxb-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xapp-"].map((prefix) =>
    key("slack-token", prefix, token, 12, { glued: true }),
  ),
  ...["xoxe.xoxp-", "xoxe.xoxb-"].map((prefix) => key("slack-token", prefix, token, 12, { glued: true })),
  ...["services/", "workflows/", "triggers/"].map((path) =>
    key("slack-token", `hooks.slack.com/${path}`, pathPart, 8, { glued: true }),
  ),
  key("discord-webhook", "/api/webhooks/", pathPart, 60, { glued: true }),
  ...["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_org_live_"].map((prefix) =>
    key("stripe-key", prefix, alphanumeric, 16),
  ),
  key("stripe-key", "whsec_", credential, 24),
  key("huggingface-token", "hf_", alphanumeric, 30, { random: true }),
  key("huggingface-token", "hf_", alphanumeric, 34, { mixed: true }),
  key("huggingface-token", "api_org_", alphanumeric, 30),
  key("npm-token", "npm_", alphanumeric, 36),
  key("sendgrid-key", "SG.", tokenOrDot, 60, { random: true }),
  ...[..."0123456789abcdef"].map((first) => key("twilio-key", `SK${first}`, alphanumeric, 31, { hex: true })),
  key("mailgun-key", "key-", alphanumeric, 32, { hex: true }),
  key("razorpay-key", "rzp_live_", alphanumeric, 14),
  key("resend-key", "re_", token, 32, { random: true }),
  ...["access-production-", "access-sandbox-"].map((prefix) => key("plaid-token", prefix, token, 36)),
  key("easypost-key", "EZAK", alphanumeric, 54),
  key("cloudflare-key", "v1.0-", token, 90, { random: true }),
  key("fly-token", "fm2_", base64, 90),
  key("telegram-token", ":AA", token, 33, { glued: true, random: true }),
  ...["dop_v1_", "doo_v1_", "dor_v1_"].map((prefix) => key("digitalocean-token", prefix, alphanumeric, 64)),
  key("pypi-token", "pypi-AgE", token, 50),
  ...["shpat_", "shpss_", "shpca_", "shppa_"].map((prefix) => key("shopify-token", prefix, alphanumeric, 32)),
  key("square-key", "sq0atp-", token, 22),
  key("square-key", "sq0csp-", token, 43),
  key("databricks-token", "dapi", alphanumeric, 32, { hex: true }),
  key("linear-key", "lin_api_", alphanumeric, 32),
  key("notion-key", "ntn_", alphanumeric, 40),
  key("notion-key", "secret_", alphanumeric, 43),
  key("groq-key", "gsk_", alphanumeric, 40),
  key("xai-key", "xai-", token, 60, { random: true }),
  key("replicate-key", "r8_", alphanumeric, 37),
  key("perplexity-key", "pplx-", alphanumeric, 40),
  key("nvidia-key", "nvapi-", token, 60),
  key("together-key", "tgp_v1_", token, 43),
  key("cerebras-key", "csk-", alphanumeric, 40),
  key("fireworks-key", "fw_", alphanumeric, 24, { random: true }),
  key("elevenlabs-key", "sk_", alphanumeric, 48, { hex: true }),
  ...["lsv2_pt_", "lsv2_sk_"].map((prefix) => key("langsmith-key", prefix, token, 40)),
  key("pinecone-key", "pcsk_", token, 60),
  key("tavily-key", "tvly-", token, 32, { random: true }),
  key("wandb-key", "wandb_v1_", token, 60),
  key("jina-key", "jina_", alphanumeric, 60),
  key("firecrawl-key", "fc-", alphanumeric, 32, { hex: true }),
  key("supabase-key", "sbp_", alphanumeric, 40),
  key("supabase-key", "sb_secret_", token, 30),
  ...["vcp_", "vck_", "vci_", "vca_", "vcr_"].map((prefix) => key("vercel-token", prefix, alphanumeric, 56)),
  key("netlify-token", "nfp_", alphanumeric, 36),
  key("heroku-key", "HRKU-AA", token, 58),
  key("fly-token", "fo1_", token, 43),
  ...["pscale_tkn_", "pscale_pw_", "pscale_oauth_"].map((prefix) => key("planetscale-key", prefix, token, 32)),
  key("neon-key", "napi_", alphanumeric, 60),
  ...["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."].map((prefix) => key("doppler-token", prefix, tokenOrDot, 40)),
  ...["hvs.", "hvb.", "hvr."].map((prefix) => key("vault-token", prefix, token, 24, { random: true })),
  key("onepassword-token", "ops_eyJ", token, 90),
  key("pulumi-token", "pul-", alphanumeric, 40, { hex: true }),
  key("figma-token", "figd_", token, 40),
  ...["ATATT3", "ATCTT3"].map((prefix) => key("atlassian-token", prefix, credential, 80)),
  key("atlassian-token", "ATBB", alphanumeric, 32, { random: true }),
  ...["pat-na1-", "pat-eu1-", "pat-na2-"].map((prefix) => key("hubspot-token", prefix, token, 36)),
  key("grafana-token", "glsa_", token, 40),
  key("grafana-token", "glc_eyJ", credential, 40),
  ...["sntrys_", "sntryu_"].map((prefix) => key("sentry-token", prefix, token, 60)),
  key("rubygems-key", "rubygems_", alphanumeric, 48, { hex: true }),
  ...["dckr_pat_", "dckr_oat_"].map((prefix) => key("docker-token", prefix, token, 27)),
  key("jfrog-token", "AKCp8", alphanumeric, 64),
  key("jfrog-token", "cmVmdGtu", alphanumeric, 50),
  ...["squ_", "sqp_", "sqa_"].map((prefix) => key("sonar-token", prefix, alphanumeric, 40, { hex: true })),
  ...["CCIPAT_", "CCIPRJ_"].map((prefix) => key("circleci-token", prefix, token, 60)),
  key("buildkite-token", "bkua_", alphanumeric, 40, { hex: true }),
  key("tailscale-key", "tskey-", token, 30),
  key("dynatrace-token", "dt0c01.", tokenOrDot, 80),
  ...["xkeysib-", "xsmtpsib-"].map((prefix) => key("brevo-key", prefix, token, 64)),
  key("posthog-key", "phx_", alphanumeric, 40),
  key("postman-key", "PMAK-", token, 59),
  key("newrelic-key", "NRAK-", alphanumeric, 27),
  key("writ-key", "writkey_", token, 60, { glued: true }),
  key("age-key", "AGE-SECRET-KEY-1", alphanumeric, 58),
];

export const vendorKinds: readonly string[] = [...new Set(vendorKeys.map(({ kind }) => kind))];

export const vendorKeyFinders: readonly Finder[] = vendorKeys.map((shape) => ({
  anchor: shape.prefix,
  isExact: true,
  // All of one family wake together, so that the most telling prefix, which stands first above, is asked first.
  wakeAt: shape.prefix.startsWith("sk-") ? 0 : rarestIn(shape.prefix),
  find: (text, at, scan) => {
    if (!text.startsWith(shape.prefix, at)) return undefined;
    if (!shape.glued && !startsWord(text, at)) return undefined;
    const rest = at + shape.prefix.length;
    const looked = runEnd(text, rest, shape.rest, lookAhead);
    if (looked - rest < shape.least) return undefined;
    if (shape.hex && !/^[0-9a-f]+$/.test(text.slice(rest, rest + shape.least))) return undefined;
    if (shape.mixed && !hasBothCases(text, rest, looked)) return undefined;
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

function hasBothCases(text: string, start: number, end: number): boolean {
  let seen = 0;
  for (let at = start; at < end; at++) seen |= classOf(text.charCodeAt(at));
  return (seen & upper) !== 0 && (seen & lower) !== 0;
}

/** Three characters that no hash has: half of what a log records are hashes, which would wake the finder again and again. */
function rarestIn(prefix: string): number {
  let best = prefix.length - 3;
  for (let at = best; at >= 0; at--) if (beyondHashes(prefix, at) > beyondHashes(prefix, best)) best = at;
  return best;
}

function beyondHashes(prefix: string, start: number): number {
  let count = 0;
  for (let at = start; at < start + 3; at++) {
    const folded = prefix.charCodeAt(at) & 31; // as the scan folds it: a digit there is a letter from p to y
    if (!((folded >= 1 && folded <= 6) || (folded >= 16 && folded <= 25))) count++;
  }
  return count;
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
