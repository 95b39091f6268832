import { resolve } from "node:path";
import type { CliContext } from "#core/commands";
import { argument, type Command, expiryOf, requiredText, requiredTexts, text } from "#core/commands";
import { domainError } from "#core/errors";
import { err, isJsonObject, isoTime, type JsonObject, ok, type Result } from "#core/values";

interface GrantOptions {
  readonly from: string;
  readonly to: string;
  readonly grant: readonly string[];
  readonly key: string;
  readonly keyId: string;
  readonly days?: string;
}

const maxKeyBytes = 64 * 1024;

export const flowGrant: Command<"nothing", object, GrantOptions> = {
  name: "grant",
  summary: "hand rights on to whoever submits a work order: adds a signed link to its authorization chain",
  needs: "nothing",
  json: "work_order_v1",
  arguments: [
    argument("file", "the work order; - reads standard input. The order with its new link goes to standard output"),
  ],
  options: {
    from: requiredText("caller", "who grants: a caller of identity.callers in writ.yaml, or the last link's receiver"),
    to: requiredText("caller", "who receives; the last one submits the order"),
    grant: requiredTexts("right", "what is handed on, such as order.submit framework:FMWK-005 tool:fs.*"),
    key: requiredText("file", "the granter's private key (Ed25519, PEM)"),
    keyId: requiredText("id", "its name under public_keys of the granter in identity.callers"),
    days: text("number", "how long the link is good for; without it, as long as the key is trusted"),
  },
  examplesTitle: "Example: Ada lets the nightly job submit this order, with one tool, for a week",
  examples: [
    "openssl genpkey -algorithm ed25519 -out ada.pem",
    'openssl pkey -in ada.pem -pubout      # goes into identity.callers."ada@corp".public_keys.laptop',
    "writ flow grant wo.yaml --from ada@corp --to ci@corp --grant order.submit framework:FMWK-005 class:RESIDENT tool:echo \\\n      --key ada.pem --key-id laptop --days 7 > granted.json",
    "writ flow explain granted.json",
  ],
  run: async (_, { arguments: [file = ""], options, context }) => {
    const { readDocument } = await import("../../core/machine/read-document.ts");
    const document = await readDocument(file, context);
    if (!document.ok) return document;
    const granted = await withLink(document.value as JsonObject, options, context);
    if (!granted.ok) return granted;
    return ok({ json: granted.value, text: () => `${JSON.stringify(granted.value, null, 2)}\n` });
  },
};

async function withLink(
  order: JsonObject,
  { from, to, grant, key, keyId, days }: GrantOptions,
  { clock, cwd }: CliContext,
): Promise<Result<JsonObject>> {
  if (!isJsonObject(order)) return err(domainError("MALFORMED_INPUT", "a work order is an object"));
  const { authorization = { chain: [] } } = order;
  const chain = isJsonObject(authorization) ? authorization["chain"] : undefined;
  if (!Array.isArray(chain)) return err(domainError("MALFORMED_INPUT", "authorization.chain is a list of links"));
  const last = chain.at(-1);
  if (isJsonObject(last) && last["to"] !== from)
    return err(
      domainError("MALFORMED_INPUT", `the chain ends at ${String(last["to"])}: only they can hand on, not ${from}`),
    );
  const expires = expiryOf(days, clock);
  if (!expires.ok) return expires;
  const { nodeFiles } = await import("../../core/machine/node-files.ts");
  const { signLink } = await import("../../people/identity/sign-link.ts");
  const pem = await nodeFiles.readText(resolve(cwd, key), { maxBytes: maxKeyBytes });
  if (!pem.ok) return pem;
  const link = signLink(
    {
      from,
      to,
      grants: [...grant],
      granted_at: isoTime(clock.now()),
      ...(expires.value === undefined ? {} : { expires_at: isoTime(expires.value) }),
      key_id: keyId,
    },
    pem.value,
  );
  return link.ok ? ok({ ...order, authorization: { chain: [...chain, { ...link.value }] } }) : link;
}
