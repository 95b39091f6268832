import { shippedRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import type { CheckedPart, DoctorSurroundings, Finding } from "#core/shapes";
import { err, ok, type Result, suggest } from "#core/values";
import { workspaceSecrets } from "#governance";
import type { Profile, WritConfig } from "#workspace";
import { readConfig, selectProfile } from "#workspace";
import { priceOf } from "../budget/prices.ts";
import { refusalsOfProfile } from "../models/adapters/files/known-refusals-file.ts";
import { modelTableOf } from "../models/adapters/files/model-table-file.ts";
import { askAboutModel, type ModelInquiry } from "../models/adapters/vendor/ask-about-model.ts";
import { connectionOf, vendorOf } from "../models/connection-of-profile.ts";
import { ageInDays } from "../models/facts/model-table.ts";
import { isUnbilled } from "../models/price-of-profile.ts";
import { type Connection, type Vendor } from "../models/provider-kind.ts";
import { vendorOfKey } from "../models/provider-kinds.ts";

export interface CheckedProvider {
  /** The profile that was meant. */
  readonly profile: string;
  readonly parts: readonly CheckedPart[];
}

/** What is wrong with a profile's key, address or model names. Asks the server about the models; sends no prompt. */
export async function checkProvider(
  wanted: string,
  surroundings: DoctorSurroundings & { readonly root: string },
): Promise<Result<CheckedProvider>> {
  const effective = await readConfig(surroundings.root, surroundings.files, surroundings.env);
  if (!effective.ok) return effective;
  const { config } = effective.value;
  const profile = profileFor(config, wanted);
  if (!profile.ok) return profile;
  const parts: CheckedPart[] = [];
  const add = (id: string, title: string, finding: Finding) => parts.push({ id, title, ...finding });
  const vendor = vendorOf(profile.value);
  const { name, provider } = profile.value;
  add("profile", "Profile", { health: "works", found: `${name}: provider ${provider}` });
  if (!vendor) {
    add("key", "Key", { health: "works", found: "the scripted provider needs no key and no network" });
    return ok({ profile: name, parts });
  }
  if (profile.value.replay !== null)
    add("cassette", "Cassette", {
      health: "limited",
      found: `plays ${profile.value.replay}; the server below is not asked while it does`,
    });
  const secrets = await workspaceSecrets(config, surroundings);
  if (!secrets.ok) return secrets;
  const connection = await connectionOf(profile.value, vendor, secrets.value);
  if (!connection.ok) {
    const { code, message, details } = connection.error;
    const mend = typeof details["hint"] === "string" ? { mend: details["hint"] } : {};
    add(code === "SECRET_NOT_FOUND" ? "key" : "address", code === "SECRET_NOT_FOUND" ? "Key" : "Address", {
      health: "broken",
      found: message,
      ...mend,
    });
    return ok({ profile: name, parts });
  }
  const judged = [judgeKey(profile.value, vendor, connection.value), judgeAddress(connection.value)] as const;
  add("key", "Key", judged[0]);
  add("address", "Address", judged[1]);
  if (judged.some(({ health }) => health === "broken")) return ok({ profile: name, parts }); // a key of another vendor is not sent
  for (const [role, model] of modelsOf(profile.value)) {
    const title = role === null ? "Model" : `Model (${role})`;
    if (model === null) {
      add("model", title, {
        health: "broken",
        found: "the profile names none",
        mend: `set model under profile ${name}`,
      });
      continue;
    }
    const inquiry = await askAboutModel(vendor, connection.value, model, surroundings);
    const finding = judgeInquiry(inquiry, model, vendor, connection.value);
    const { redactText } = secrets.value.redactor;
    add(role === null ? "model" : `model_${role}`, title, { ...finding, found: redactText(finding.found).text });
  }
  add("price", "Price", judgePrice(profile.value, config, surroundings));
  const learned = learnedOf(surroundings.root, profile.value);
  if (learned !== "") add("learned", "Learned", { health: "works", found: learned });
  return ok({ profile: name, parts });
}

/** How old the shipped figures may be before they are worth another look. */
const oldAfterDays = 90;

function judgePrice(
  profile: Profile,
  config: WritConfig,
  { root, clock }: DoctorSurroundings & { readonly root: string },
): Finding {
  const model = profile.model ?? "";
  if (isUnbilled(profile)) return { health: "works", found: "$0: a server on this machine that is shown no key" };
  const table = modelTableOf(root, shippedRegistry())();
  const own = priceOf(config.prices, model);
  const price = own ?? table.facts(model)?.price;
  if (!price)
    return {
      health: "limited",
      found: `no price of ${model} is known`,
      why: "a call of it is refused where a limit on money applies",
      mend: "write it under prices in writ.yaml, or `writ models update FILE`",
    };
  const shown = `$${price.input_per_million} in, $${price.output_per_million} out per million tokens`;
  if (own) return { health: "works", found: `${shown} (writ.yaml)` };
  const days = ageInDays(table.as_of, clock.now());
  const found = `${shown} (looked up ${table.as_of})`;
  if (days <= oldAfterDays) return { health: "works", found };
  return { health: "limited", found, why: `the figures are ${days} days old`, mend: "`writ models update FILE`" };
}

/** What the server of a profile has refused before, in words. */
function learnedOf(root: string, profile: Profile): string {
  const refused = refusalsOfProfile(root, profile).of(profile.model ?? "");
  const left = [
    ...refused.refusedModes.map((mode) => `answers asked for as ${mode}`),
    ...refused.refusedApis.map((api) => `the interface ${api}`),
    ...refused.without,
  ];
  return left.length === 0 ? "" : `${profile.model} does without ${left.join(", ")}: its server refused`;
}

/** A profile by its name, or the first that has the named provider. */
function profileFor(config: WritConfig, wanted: string): Result<Profile> {
  const named = selectProfile(config, wanted);
  if (named.ok) return named;
  const names = ["default", ...Object.keys(config.profiles)];
  for (const name of names) {
    const profile = selectProfile(config, name);
    if (profile.ok && profile.value.provider === wanted) return profile;
  }
  return err(
    domainError("NOT_FOUND", `no profile of writ.yaml is called "${wanted}" or has that provider`, {
      details: { hint: `the profiles are ${names.join(", ")}` },
    }),
  );
}

function modelsOf(profile: Profile): readonly (readonly [role: string | null, model: string | null])[] {
  return [[null, profile.model] as const, ...Object.entries(profile.models)];
}

function judgeKey(profile: Profile, vendor: Vendor, { apiKey }: Connection): Finding {
  const from = profile.api_key ?? (vendor.keyVariable === null ? null : `\${secret:${vendor.keyVariable}}`);
  if (apiKey === undefined) return { health: "works", found: "none is sent; the profile names none" };
  if (/\s|^["']|["']$/.test(apiKey))
    return {
      health: "broken",
      found: `${from} has blanks or quotes in or around it`,
      mend: "store the key alone, without quotes",
    };
  const whose = vendorOfKey(apiKey)?.id;
  if (whose && whose !== vendor.id && vendor.keyPrefix !== null)
    return {
      health: "broken",
      found: `${from} looks like a key of ${whose}, and the provider is ${vendor.id}`,
      mend: "name another secret as api_key",
    };
  return { health: "works", found: `${from} is there` };
}

function judgeAddress({ baseUrl, apiKey }: Connection): Finding {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    return { health: "broken", found: "base_url is no URL", mend: 'write it like "https://host/v1"' };
  }
  const shown = `${url.protocol}//${url.host}${url.pathname}`;
  const isLocal = /^(localhost|127\.|\[::1\])/.test(url.host);
  if (url.protocol === "http:" && !isLocal && apiKey !== undefined)
    return { health: "limited", found: shown, why: "the key travels unencrypted", mend: "use https" };
  return { health: "works", found: shown };
}

function judgeInquiry(inquiry: ModelInquiry, model: string, vendor: Vendor, connection: Connection): Finding {
  switch (inquiry.answer) {
    case "known":
      return { health: "works", found: `${vendor.id} accepts the key and knows ${model}` };
    case "unknown": {
      const meant = suggest(model, inquiry.models);
      const some = inquiry.models.slice(0, 8).join(", ");
      return {
        health: "broken",
        found: `${vendor.id} accepts the key and knows no model "${model}"`,
        mend: meant ? `did you mean ${meant}?` : some === "" ? "ask the vendor for its names" : `it knows ${some}`,
      };
    }
    case "refused":
      return refusal(inquiry.status, inquiry.said, vendor);
    case "no such place":
      return {
        health: "broken",
        found: `a server answers, and it has no models under this address (${inquiry.status})`,
        mend: connection.baseUrl.endsWith("/v1") ? "check base_url" : "base_url usually ends with /v1",
      };
    case "unreachable":
      return {
        health: "broken",
        found: `no server can be reached (${inquiry.code})`,
        why: whyUnreachable(inquiry.code),
        mend: "check base_url, the network and whether the server runs",
      };
  }
}

function refusal(status: number, said: string, vendor: Vendor): Finding {
  const quoted = said === "" ? "" : `: ${said}`;
  if (status === 401 || status === 403 || (status === 400 && /api.?key/i.test(said)))
    return {
      health: "broken",
      found: `${vendor.id} does not accept the key (${status}${quoted})`,
      mend: "make a new key at the vendor and store it where the secret is read from",
    };
  const isPassing = status === 429 || status >= 500;
  return {
    health: isPassing ? "limited" : "broken",
    found: `${vendor.id} answers ${status}${quoted}`,
    ...(isPassing ? { why: "this may pass", mend: "try again later" } : {}),
  };
}

function whyUnreachable(code: string): string {
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its name is not known here";
  if (code === "ECONNREFUSED") return "nothing listens there";
  return "the connection failed";
}
