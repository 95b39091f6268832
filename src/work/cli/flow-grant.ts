import { resolve } from "node:path";
import type { CliContext } from "#core/commands";
import { argument, type Command, expiryOf, requiredText, requiredTexts, text, texts } from "#core/commands";
import { domainError } from "#core/errors";
import { err, isJsonObject, isoTime, type JsonObject, ok, type Result } from "#core/values";
import { asksForRange, type RangeOptions, rangeOf } from "./range-of-grant.ts";

interface GrantOptions extends RangeOptions {
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
  summary: "hand rights on to the caller who submits a work order: adds a signed link to its authorization chain",
  needs: "nothing",
  json: "work_order_v2",
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
    uses: text("number", "orders that may act by the link; makes it a range, with --days"),
    tools: texts("glob", "tools that such orders may name; without it those of this order"),
    files: texts("glob", "paths that they may write and read; without it those of this order"),
    readFiles: texts("glob", "paths that they may read besides; without it those of this order"),
    usd: text("number", "dollars that each may spend; without it the budget of this order"),
    tokens: text("number", "tokens that each may use; without it the budget of this order"),
  },
  about:
    "The link names the order by its hash: it is good for exactly this order, once. With --uses, --tools, --files,\n--read-files, --usd or --tokens it names a range instead, and is good for every order that lies within.",
  examplesTitle: "Example: Ada lets the nightly job submit this order, with one tool, for a week",
  examples: [
    "openssl genpkey -algorithm ed25519 -out ada.pem",
    'openssl pkey -in ada.pem -pubout      # goes into identity.callers."ada@corp".public_keys.laptop',
    "writ flow grant wo.yaml --from ada@corp --to ci@corp --grant order.submit framework:FMWK-005 class:RESIDENT tool:echo \\\n      --key ada.pem --key-id laptop --days 7 > granted.json",
    "writ flow explain granted.json",
  ],
  exits: null,
  run: async (_, { arguments: [file = ""], options, context }) => {
    const { readDocument } = await import("../../core/machine/read-document.ts");
    const document = await readDocument(file, context);
    if (!document.ok) return document;
    const granted = await withLink(document.value as JsonObject, options, context);
    if (!granted.ok) return granted;
    return ok({ json: granted.value, text: () => `${JSON.stringify(granted.value, null, 2)}\n` });
  },
};

async function withLink(given: JsonObject, options: GrantOptions, context: CliContext): Promise<Result<JsonObject>> {
  const { from, to, grant, key, keyId, days } = options;
  const { clock, cwd } = context;
  if (!isJsonObject(given)) return err(domainError("MALFORMED_INPUT", "a work order is an object"));
  const order: JsonObject = { ...given, schema_version: "v2" }; // only a link of v2 says what it is good for
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
  const expires_at = expires.value === undefined ? undefined : isoTime(expires.value);
  const range = asksForRange(options) ? rangeOf(order, options, expires_at) : ok(undefined);
  if (!range.ok) return range;
  const { nodeFiles } = await import("../../core/machine/node-files.ts");
  const { signLink } = await import("../../people/grants/sign-link.ts");
  const { hashOfOrder } = await import("../../people/grants/link-binding.ts");
  const pem = await nodeFiles.readText(resolve(cwd, key), { maxBytes: maxKeyBytes });
  if (!pem.ok) return pem;
  const link = signLink(
    {
      from,
      to,
      grants: [...grant],
      granted_at: isoTime(clock.now()),
      ...(expires_at === undefined ? {} : { expires_at }),
      ...(range.value ? { range: range.value } : { order_hash: hashOfOrder(order) }),
      key_id: keyId,
    },
    pem.value,
  );
  return link.ok ? ok({ ...order, authorization: { chain: [...chain, { ...link.value }] } }) : link;
}
