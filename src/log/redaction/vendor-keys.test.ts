import { describe, expect, test } from "vitest";
import { chance, draw } from "./corpus.fixture.ts";
import { createRedactor, type Redactor } from "./redactor.ts";

const hex = "0123456789abcdef";
const digits = "0123456789";
const small = "abcdefghijklmnopqrstuvwxyz";
const large = small.toUpperCase();
const mixed = `${small}${large}${digits}`;

type Pieces = readonly (string | readonly [alphabet: string, length: number])[];

/** One line for each shape that a vendor documents: its fixed parts, and the alphabets of the rest. */
const shapes: Readonly<Record<string, readonly Pieces[]>> = {
  "anthropic-key": [
    ["sk-ant-api03-", [mixed, 93], "AA"],
    ["sk-ant-oat01-", [mixed, 93], "AA"],
    ["sk-ant-admin01-", [mixed, 93], "AA"],
  ],
  "openai-key": [
    ["sk-proj-", [mixed, 74], "T3BlbkFJ", [mixed, 74]],
    ["sk-svcacct-", [mixed, 74], "T3BlbkFJ", [mixed, 74]],
    ["sk-admin-", [mixed, 74], "T3BlbkFJ", [mixed, 74]],
    ["sk-", [mixed, 20], "T3BlbkFJ", [mixed, 20]],
    ["sk-or-v1-", [hex, 64]],
    ["sk-", [hex, 32]],
  ],
  "langfuse-key": [["sk-lf-", [hex, 8], "-", [hex, 4], "-", [hex, 4], "-", [hex, 4], "-", [hex, 12]]],
  "google-key": [
    ["AIza", [mixed, 35]],
    ["AQ.Ab8RN6", [mixed, 44]],
    ["GOCSPX-", [mixed, 28]],
    ["ya29.a0", [mixed, 150]],
    ["1//0", [mixed, 60]],
    ["GOOG1E", [`${large}${digits}`, 55]],
  ],
  "aws-key": [
    ["AKIA", [`${large}234567`, 16]],
    ["ASIA", [`${large}234567`, 16]],
    ["ABIA", [`${large}234567`, 16]],
    ["ACCA", [`${large}234567`, 16]],
    ["ABSKQmVkcm9ja0FQSUtleS", [mixed, 109]],
    ["bedrock-api-key-", [mixed, 120]],
  ],
  "azure-key": [
    [[mixed, 52], "JQQJ99", [mixed, 14], "ACOG", [mixed, 4]],
    [[mixed, 76], "AZDO", [mixed, 4]],
    [[mixed, 42], "+ACR", [mixed, 6]],
    [[mixed, 3], "8Q~", [mixed, 34]],
  ],
  "github-token": [
    ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix): Pieces => [prefix, [mixed, 36]]),
    ["github_pat_", [mixed, 22], "_", [mixed, 59]],
  ],
  "gitlab-token": [
    ..."glpat gldt glptt glrt glcbt glsoat glft glimt glagent gloas glffct glwt"
      .split(" ")
      .map((prefix): Pieces => [`${prefix}-`, [mixed, 20]]),
    ["GR1348941", [mixed, 20]],
    ["glpat-", [mixed, 27], ".01.", [small, 9]],
  ],
  "slack-token": [
    ...[
      "xoxa-",
      "xoxb-",
      "xoxo-",
      "xoxp-",
      "xoxr-",
      "xoxs-",
      "xoxe-",
      "xoxc-",
      "xoxd-",
      "xoxe.xoxp-",
      "xoxe.xoxb-",
    ].map((prefix): Pieces => [prefix, [digits, 12], "-", [digits, 12], "-", [mixed, 24]]),
    ["xapp-1-A", [large, 10], "-", [digits, 13], "-", [hex, 64]],
  ],
  "stripe-key": [
    ...["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_org_live_"].map((prefix): Pieces => [prefix, [mixed, 24]]),
    ["whsec_", [mixed, 32]],
    ["whsec_", [mixed, 16], "+", [mixed, 14], "="],
  ],
  "huggingface-token": [
    ["hf_", [`${small}${large}`, 34]],
    ["api_org_", [`${small}${large}`, 34]],
  ],
  "npm-token": [["npm_", [mixed, 36]]],
  "pypi-token": [["pypi-AgEIcHlwaS5vcmc", [mixed, 150]]],
  "twilio-key": [...hex].map((first): Pieces => [`SK${first}`, [hex, 31]]),
  "sendgrid-key": [["SG.", [mixed, 22], ".", [mixed, 43]]],
  "mailgun-key": [["key-", [hex, 32]]],
  "telegram-token": [[[digits, 10], ":AA", [mixed, 33]]],
  "digitalocean-token": ["dop_v1_", "doo_v1_", "dor_v1_"].map((prefix): Pieces => [prefix, [hex, 64]]),
  "groq-key": [["gsk_", [mixed, 52]]],
  "xai-key": [["xai-", [mixed, 80]]],
  "perplexity-key": [["pplx-", [mixed, 48]]],
  "replicate-key": [["r8_", [mixed, 37]]],
  "nvidia-key": [["nvapi-", [mixed, 64]]],
  "together-key": [["tgp_v1_", [mixed, 43]]],
  "cerebras-key": [["csk-", [`${small}${digits}`, 48]]],
  "fireworks-key": [["fw_", [mixed, 22], "a7"]],
  "elevenlabs-key": [["sk_", [hex, 48]]],
  "langsmith-key": [
    ["lsv2_pt_", [hex, 32], "_", [hex, 10]],
    ["lsv2_sk_", [hex, 32], "_", [hex, 10]],
  ],
  "pinecone-key": [["pcsk_", [mixed, 6], "_", [mixed, 63]]],
  "tavily-key": [["tvly-dev-", [mixed, 32]]],
  "wandb-key": [["wandb_v1_", [mixed, 77]]],
  "jina-key": [["jina_", [mixed, 60]]],
  "firecrawl-key": [["fc-", [hex, 32]]],
  "supabase-key": [
    ["sbp_", [hex, 40]],
    ["sb_secret_", [mixed, 22], "_", [mixed, 8]],
  ],
  "vercel-token": [
    ["vcp_", [mixed, 56]],
    ["vck_", [mixed, 56]],
  ],
  "netlify-token": [["nfp_", [mixed, 36]]],
  "heroku-key": [["HRKU-AA", [mixed, 58]]],
  "fly-token": [["fo1_", [mixed, 43]]],
  "planetscale-key": [
    ["pscale_tkn_", [mixed, 43]],
    ["pscale_pw_", [mixed, 43]],
  ],
  "neon-key": [["napi_", [mixed, 64]]],
  "doppler-token": [
    ["dp.pt.", [mixed, 43]],
    ["dp.st.prd.", [mixed, 43]],
  ],
  "vault-token": [
    ["hvs.", [mixed, 90]],
    ["hvb.", [mixed, 140]],
  ],
  "terraform-token": [[[mixed, 14], ".atlasv1.", [mixed, 67]]],
  "onepassword-token": [["ops_eyJ", [mixed, 250]]],
  "pulumi-token": [["pul-", [hex, 40]]],
  "sentry-token": [
    ["sntrys_eyJ", [mixed, 100], "_", [mixed, 43]],
    ["sntryu_", [hex, 64]],
  ],
  "shopify-token": ["shpat_", "shpss_", "shpca_", "shppa_"].map((prefix): Pieces => [prefix, [hex, 32]]),
  "square-key": [
    ["sq0atp-", [mixed, 22]],
    ["sq0csp-", [mixed, 43]],
  ],
  "databricks-token": [["dapi", [hex, 32]]],
  "linear-key": [["lin_api_", [mixed, 40]]],
  "notion-key": [
    ["ntn_", [mixed, 46]],
    ["secret_", [mixed, 43]],
  ],
  "figma-token": [["figd_", [mixed, 40]]],
  "atlassian-token": [
    ["ATATT3xFfGF0", [mixed, 180]],
    ["ATCTT3xFfGN0", [mixed, 180]],
    ["ATBB", [mixed, 30], "a7"],
  ],
  "hubspot-token": [["pat-na1-", [hex, 8], "-", [hex, 4], "-", [hex, 4], "-", [hex, 4], "-", [hex, 12]]],
  "grafana-token": [
    ["glsa_", [mixed, 32], "_", [hex, 8]],
    ["glc_eyJvIjoi", [mixed, 60]],
  ],
  "newrelic-key": [["NRAK-", [`${large}${digits}`, 27]]],
  "postman-key": [["PMAK-", [hex, 24], "-", [hex, 34]]],
  "rubygems-key": [["rubygems_", [hex, 48]]],
  "docker-token": [
    ["dckr_pat_", [mixed, 27]],
    ["dckr_oat_", [mixed, 32]],
  ],
  "jfrog-token": [
    ["AKCp8", [mixed, 69]],
    ["cmVmdGtuOjAx", [mixed, 52]],
  ],
  "sonar-token": ["squ_", "sqp_", "sqa_"].map((prefix): Pieces => [prefix, [hex, 40]]),
  "circleci-token": [["CCIPAT_", [mixed, 22], "_", [hex, 40]]],
  "buildkite-token": [["bkua_", [hex, 40]]],
  "tailscale-key": [["tskey-auth-", [mixed, 12], "CNTRL-", [mixed, 32]]],
  "dynatrace-token": [["dt0c01.", [large, 24], ".", [`${large}${digits}`, 64]]],
  "brevo-key": [["xkeysib-", [hex, 64], "-", [mixed, 16]]],
  "posthog-key": [["phx_", [mixed, 43]]],
  "writ-key": [["writkey_", [mixed, 64]]],
  "age-key": [["AGE-SECRET-KEY-1", ["QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58]]],
};

function redactor(): Redactor {
  const made = createRedactor();
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

const made = (pieces: Pieces, seed: string): string => {
  const random = chance(seed);
  return pieces.map((piece) => (typeof piece === "string" ? piece : draw(random, piece[0], piece[1]))).join("");
};

describe("each shape of a vendor's key", () => {
  const redact = redactor();
  for (const [kind, all] of Object.entries(shapes))
    test(`${kind} is redacted, and named`, () => {
      for (const [index, pieces] of all.entries())
        for (let round = 0; round < 12; round++) {
          const key = made(pieces, `${kind} ${index} ${round}`);
          expect(redact.redactText(key).text, key).toBe(`[REDACTED:${kind}]`);
          expect(redact.redactText(`KEY="${key}"; then`).text, key).toBe(`KEY="[REDACTED:${kind}]"; then`);
          expect(redact.redactJson({ [key]: [key] }).value, key).toEqual({
            [`[REDACTED:${kind}]`]: [`[REDACTED:${kind}]`],
          });
        }
    });

  test("in a stream cut at any place", () => {
    for (const [kind, all] of Object.entries(shapes)) {
      const text = `so ${made(all[0] as Pieces, kind)} it is`;
      for (let cut = 1; cut < text.length; cut++) {
        const stream = redact.stream();
        const shown = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end();
        expect(shown, `${kind}, cut at ${cut}`).toBe(`so [REDACTED:${kind}] it is`);
      }
    }
  });

  test("webhooks carry their secret in their path", () => {
    for (const address of [
      "https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/aBcDeFgHiJkLmNoPqRsTuV12",
      "https://hooks.slack.com/workflows/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",
      "https://discord.com/api/webhooks/508325769647723610/F1ertdHnGqmdyRUjrHcpJ7zAIX5CK8c_g2nUxlwKDjjnvFQioTFljypB_d8Kq",
    ])
      expect(redact.redactText(`post to ${address} now`).text).not.toContain(address.slice(-16));
  });

  test("words after the same prefixes stay", () => {
    for (const text of [
      "sk-learn-contrib-and-its-many-friends sk_buff_head_init_class_and_more",
      "hf_hub_download_from_the_repository secret_santa_list_of_the_whole_company",
      "pat-na1-is-a-prefix fc-cache-of-the-system fw_update_from_the_running_kernel",
      "ATBBreviation GOOGLE_APPLICATION_CREDENTIALS_FOR_EVERYBODY napi_create_function_and_friends",
      "napi_get_value_string_utf8 napi_define_properties glc_context npm_config_registry npm_package_json",
      "xai-grok-mode-is-great-for-everybody-who-likes-long-hyphenated-names-of-things",
      "csk-mumbai-indians-chennai-super-kings-match-of-the-day-and-more",
    ])
      expect(redact.redactText(text)).toEqual({ text, hits: [] });
  });
});
