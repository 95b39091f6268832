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
  /** The alphabet of the rest, and its least length. */
  readonly rest: number;
  readonly least: number;
  /** So distinctive that it counts even when attached to a word. */
  readonly glued?: boolean;
  /** The rest must look random, because people also write words after this prefix. */
  readonly random?: boolean;
  readonly hex?: boolean;
  /** Letters of both cases may be all there is. */
  readonly mixed?: boolean;
}

type Rest = Pick<VendorKey, "rest" | "least">;

const atLeast = (least: number, rest: number): Rest => ({ rest, least });

const key = (kind: string, prefix: string, rest: Rest, more: Partial<VendorKey> = {}): VendorKey => ({
  kind,
  prefix,
  ...rest,
  ...more,
});

/** The shapes that vendors give their keys so that scanners such as this one can find them. */
const vendorKeys: readonly VendorKey[] = [
  key("anthropic-key", "sk-ant-", atLeast(20, token), { glued: true }),
  key("openai-key", "sk-proj-", atLeast(20, token), { glued: true }),
  key("openai-key", "sk-svcacct-", atLeast(20, token), { glued: true }),
  key("openai-key", "sk-admin-", atLeast(20, token), { glued: true }),
  key("openai-key", "sk-or-v1-", atLeast(20, token), { glued: true }),
  key("langfuse-key", "sk-lf-", atLeast(36, token)),
  key("openai-key", "sk-", atLeast(20, token), { random: true }),
  key("google-key", "AIza", atLeast(35, token), { glued: true }),
  key("google-key", "GOCSPX-", atLeast(20, token), { glued: true }),
  key("google-key", "ya29.", atLeast(20, tokenOrDot)),
  key("google-key", "AQ.Ab8", atLeast(40, token)),
  key("google-key", "1//0", atLeast(40, token), { random: true }),
  key("google-key", "GOOG1E", atLeast(50, alphanumeric)),
  ...["AKIA", "ASIA", "ABIA", "ACCA"].map((prefix) => key("aws-key", prefix, atLeast(16, alphanumeric))),
  key("aws-key", "ABSKQmVk", atLeast(80, base64)),
  key("aws-key", "bedrock-api-key-", atLeast(60, base64)),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) =>
    key("github-token", prefix, atLeast(36, alphanumeric), { glued: true }),
  ),
  key("github-token", "github_pat_", atLeast(40, token), { glued: true }),
  ...["glpat-", "gldt-", "glptt-", "glrt-", "glcbt-", "glsoat-", "glft-", "glimt-", "glagent-", "gloas-"].map(
    (prefix) => key("gitlab-token", prefix, atLeast(20, tokenOrDot), { glued: true }),
  ),
  ...["glffct-", "glwt-", "GR1348941"].map((prefix) => key("gitlab-token", prefix, atLeast(20, token))),
  ...["xoxa-", "xoxb-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xapp-"].map((prefix) =>
    key("slack-token", prefix, atLeast(12, token), { glued: true }),
  ),
  ...["xoxe.xoxp-", "xoxe.xoxb-"].map((prefix) => key("slack-token", prefix, atLeast(12, token), { glued: true })),
  ...["services/", "workflows/", "triggers/"].map((path) =>
    key("slack-token", `hooks.slack.com/${path}`, atLeast(8, pathPart), { glued: true }),
  ),
  key("discord-webhook", "/api/webhooks/", atLeast(60, pathPart), { glued: true }),
  ...["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_org_live_"].map((prefix) =>
    key("stripe-key", prefix, atLeast(16, alphanumeric)),
  ),
  key("stripe-key", "whsec_", atLeast(24, credential)),
  key("huggingface-token", "hf_", atLeast(30, alphanumeric), { random: true }),
  key("huggingface-token", "hf_", atLeast(34, alphanumeric), { mixed: true }),
  key("huggingface-token", "api_org_", atLeast(30, alphanumeric)),
  key("npm-token", "npm_", atLeast(36, alphanumeric)),
  key("sendgrid-key", "SG.", atLeast(60, tokenOrDot), { random: true }),
  ...[..."0123456789abcdef"].map((first) => key("twilio-key", `SK${first}`, atLeast(31, alphanumeric), { hex: true })),
  key("mailgun-key", "key-", atLeast(32, alphanumeric), { hex: true }),
  key("razorpay-key", "rzp_live_", atLeast(14, alphanumeric)),
  key("resend-key", "re_", atLeast(32, token), { random: true }),
  ...["access-production-", "access-sandbox-"].map((prefix) => key("plaid-token", prefix, atLeast(36, token))),
  key("easypost-key", "EZAK", atLeast(54, alphanumeric)),
  key("cloudflare-key", "v1.0-", atLeast(90, token), { random: true }),
  key("fly-token", "fm2_", atLeast(90, base64)),
  key("telegram-token", ":AA", atLeast(33, token), { glued: true, random: true }),
  ...["dop_v1_", "doo_v1_", "dor_v1_"].map((prefix) => key("digitalocean-token", prefix, atLeast(64, alphanumeric))),
  key("pypi-token", "pypi-AgE", atLeast(50, token)),
  ...["shpat_", "shpss_", "shpca_", "shppa_"].map((prefix) => key("shopify-token", prefix, atLeast(32, alphanumeric))),
  key("square-key", "sq0atp-", atLeast(22, token)),
  key("square-key", "sq0csp-", atLeast(43, token)),
  key("databricks-token", "dapi", atLeast(32, alphanumeric), { hex: true }),
  key("linear-key", "lin_api_", atLeast(32, alphanumeric)),
  key("notion-key", "ntn_", atLeast(40, alphanumeric)),
  key("notion-key", "secret_", atLeast(43, alphanumeric)),
  key("groq-key", "gsk_", atLeast(40, alphanumeric)),
  key("xai-key", "xai-", atLeast(60, token), { random: true }),
  key("replicate-key", "r8_", atLeast(37, alphanumeric)),
  key("perplexity-key", "pplx-", atLeast(40, alphanumeric)),
  key("nvidia-key", "nvapi-", atLeast(60, token)),
  key("together-key", "tgp_v1_", atLeast(43, token)),
  key("cerebras-key", "csk-", atLeast(40, alphanumeric)),
  key("fireworks-key", "fw_", atLeast(24, alphanumeric), { random: true }),
  key("elevenlabs-key", "sk_", atLeast(48, alphanumeric), { hex: true }),
  ...["lsv2_pt_", "lsv2_sk_"].map((prefix) => key("langsmith-key", prefix, atLeast(40, token))),
  key("pinecone-key", "pcsk_", atLeast(60, token)),
  key("tavily-key", "tvly-", atLeast(32, token), { random: true }),
  key("wandb-key", "wandb_v1_", atLeast(60, token)),
  key("jina-key", "jina_", atLeast(60, alphanumeric)),
  key("firecrawl-key", "fc-", atLeast(32, alphanumeric), { hex: true }),
  key("supabase-key", "sbp_", atLeast(40, alphanumeric)),
  key("supabase-key", "sb_secret_", atLeast(30, token)),
  ...["vcp_", "vck_", "vci_", "vca_", "vcr_"].map((prefix) => key("vercel-token", prefix, atLeast(56, alphanumeric))),
  key("netlify-token", "nfp_", atLeast(36, alphanumeric)),
  key("heroku-key", "HRKU-AA", atLeast(58, token)),
  key("fly-token", "fo1_", atLeast(43, token)),
  ...["pscale_tkn_", "pscale_pw_", "pscale_oauth_"].map((prefix) => key("planetscale-key", prefix, atLeast(32, token))),
  key("neon-key", "napi_", atLeast(60, alphanumeric)),
  ...["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."].map((prefix) => key("doppler-token", prefix, atLeast(40, tokenOrDot))),
  ...["hvs.", "hvb.", "hvr."].map((prefix) => key("vault-token", prefix, atLeast(24, token), { random: true })),
  key("onepassword-token", "ops_eyJ", atLeast(90, token)),
  key("pulumi-token", "pul-", atLeast(40, alphanumeric), { hex: true }),
  key("figma-token", "figd_", atLeast(40, token)),
  ...["ATATT3", "ATCTT3"].map((prefix) => key("atlassian-token", prefix, atLeast(80, credential))),
  key("atlassian-token", "ATBB", atLeast(32, alphanumeric), { random: true }),
  ...["pat-na1-", "pat-eu1-", "pat-na2-"].map((prefix) => key("hubspot-token", prefix, atLeast(36, token))),
  key("grafana-token", "glsa_", atLeast(40, token)),
  key("grafana-token", "glc_eyJ", atLeast(40, credential)),
  ...["sntrys_", "sntryu_"].map((prefix) => key("sentry-token", prefix, atLeast(60, token))),
  key("rubygems-key", "rubygems_", atLeast(48, alphanumeric), { hex: true }),
  ...["dckr_pat_", "dckr_oat_"].map((prefix) => key("docker-token", prefix, atLeast(27, token))),
  key("jfrog-token", "AKCp8", atLeast(64, alphanumeric)),
  key("jfrog-token", "cmVmdGtu", atLeast(50, alphanumeric)),
  ...["squ_", "sqp_", "sqa_"].map((prefix) => key("sonar-token", prefix, atLeast(40, alphanumeric), { hex: true })),
  ...["CCIPAT_", "CCIPRJ_"].map((prefix) => key("circleci-token", prefix, atLeast(60, token))),
  key("buildkite-token", "bkua_", atLeast(40, alphanumeric), { hex: true }),
  key("tailscale-key", "tskey-", atLeast(30, token)),
  key("dynatrace-token", "dt0c01.", atLeast(80, tokenOrDot)),
  ...["xkeysib-", "xsmtpsib-"].map((prefix) => key("brevo-key", prefix, atLeast(64, token))),
  key("posthog-key", "phx_", atLeast(40, alphanumeric)),
  key("postman-key", "PMAK-", atLeast(59, token)),
  key("newrelic-key", "NRAK-", atLeast(27, alphanumeric)),
  key("writ-key", "writkey_", atLeast(60, token), { glued: true }),
  key("age-key", "AGE-SECRET-KEY-1", atLeast(58, alphanumeric)),
];

export const vendorKinds: readonly string[] = [...new Set(vendorKeys.map(({ kind }) => kind))];

export const vendorKeyFinders: readonly Finder[] = vendorKeys.map((shape) => ({
  anchor: shape.prefix,
  isExact: true,
  // All of one family wake together, so that the most specific prefix, which comes first above, is tried first.
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

/** A key that is still undecided after this many characters is none: a failure has a bounded cost. */
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

/** Three characters that no hash has: half of what a log records are hashes, which would wake the finder repeatedly. */
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
