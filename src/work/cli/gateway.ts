import { type CliContext, type Command, type CommandGroup, numberOption, text, texts } from "#core/commands";
import { ok, type Result } from "#core/values";
import type { IssuedToken, TokenRequest } from "../foreign/issue-token.ts";

interface GatewayParts {
  issueToken(asked: TokenRequest): Promise<Result<IssuedToken>>;
}

interface TokenOptions {
  readonly order?: string;
  readonly usd?: string;
  readonly tokens?: string;
  readonly calls?: string;
  readonly hours: string;
  readonly tool?: readonly string[];
  readonly model?: readonly string[];
  readonly profile?: string;
  readonly framework?: string;
  readonly note: string;
  readonly port: string;
}

const token: Command<"runtime", GatewayParts, TokenOptions> = {
  name: "token",
  summary: "make a token for one program: a budget, a record, an end; it is shown once, and only its hash is kept",
  needs: "runtime",
  json: "token, token_id, work_order_id, expires_at, limits, and the environment of the program",
  arguments: [],
  options: {
    order: text("file", "the work order, of the type foreign; without one it is written from these words"),
    usd: text("number", "the most dollars"),
    tokens: text("number", "the most tokens, in and out together"),
    calls: text("number", "the most calls of a model (default: 1000)"),
    hours: text("number", "how long it is good for", "8"),
    tool: texts("name", "tools of the program that its model may ask for (default: all that it offers)"),
    model: texts("name", "models that it may ask for, as a name or a pattern (default: those of the profile)"),
    profile: text("name", "the profile of writ.yaml whose server answers"),
    framework: text("id", "the framework to work under (default: FMWK-005)"),
    note: text("text", "what it is for, in the record", "a program with a token"),
    port: text("n", "where the server listens that the environment names", "7878"),
  },
  about:
    "`writ up` and `writ serve` answer it at /v1/messages and /v1/chat/completions. The program runs with its own rights on this\nmachine: what it asks of its model is held and recorded, what it does by itself is not (grade: observed).",
  examples: [
    'writ gateway token --usd 5 --model "claude-*" --note "Claude Code"',
    "writ gateway token --usd 1 --hours 1 --tool read_file --json | jq -r .env.OPENAI_API_KEY",
    "writ key revoke ID",
  ],
  exits: null,
  run: async ({ issueToken }, { options, context }) => {
    const asked = await requestOf(options, context);
    if (!asked.ok) return asked;
    const issued = await issueToken(asked.value);
    if (!issued.ok) return issued;
    const { token: secret, token_id, work_order_id, expires_at, limits } = issued.value;
    const address = `http://127.0.0.1:${options.port}`;
    const env = {
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_AUTH_TOKEN: secret,
      OPENAI_BASE_URL: `${address}/v1`,
      OPENAI_API_KEY: secret,
    };
    return ok({
      json: { ...issued.value, env },
      text: (screen) =>
        `${screen.bold(secret)}\n\nGood for ${work_order_id}, until ${expires_at}: ${limitsText(limits)}.\nIt is not shown again. Take it back with: writ key revoke ${token_id}\n\n${Object.entries(
          env,
        )
          .map(([name, value]) => `export ${name}=${value}`)
          .join("\n")}\n`,
    });
  },
};

function limitsText({ token_limit, turn_limit, usd_limit }: IssuedToken["limits"]): string {
  const money = usd_limit === undefined ? [] : [`$${usd_limit}`];
  return [...money, `${token_limit} tokens`, `${turn_limit} calls`].join(", ");
}

async function requestOf(
  { order, usd, tokens, calls, hours, tool, model, profile, framework, note }: TokenOptions,
  context: CliContext,
): Promise<Result<TokenRequest>> {
  const { readDocument } = await import("../../core/machine/read-document.ts");
  const document = order === undefined ? ok(undefined) : await readDocument(order, context);
  if (!document.ok) return document;
  const long = numberOption("--hours", hours, {
    what: "a number of hours",
    isFraction: true,
    above: 0,
    most: 24 * 31,
  });
  if (!long.ok) return long;
  const numbers: Record<string, number> = {};
  for (const [name, given, isFraction] of [
    ["usd", usd, true],
    ["tokens", tokens, false],
    ["calls", calls, false],
  ] as const) {
    if (given === undefined) continue;
    const read = numberOption(
      `--${name}`,
      given,
      isFraction ? { what: "a number of dollars", isFraction, above: 0 } : {},
    );
    if (!read.ok) return read;
    numbers[name] = read.value;
  }
  return ok({
    hours: long.value,
    note,
    ...numbers,
    ...(document.value === undefined ? {} : { order: document.value }),
    ...(tool ? { tools: tool } : {}),
    ...(model ? { models: model } : {}),
    ...(profile === undefined ? {} : { profile }),
    ...(framework === undefined ? {} : { framework }),
  });
}

export const gateway: CommandGroup<typeof token> = {
  name: "gateway",
  summary: "tokens for programs that only know the address of a model: change one environment variable",
  examples: ['writ gateway token --usd 5 --model "claude-*"', "writ up"],
  members: [token],
};
