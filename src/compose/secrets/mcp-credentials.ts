import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { domainError, err, type Files, isJsonObject, messageOf, ok, parseJson, type Random, type Result } from "#base";
import type { McpCredentialKeeper, McpCredentials } from "#tools";
import type { GrowingRedactor } from "./growing-redactor.ts";

export interface CredentialPlaces {
  readonly root: string;
  readonly files: Files;
  readonly random: Random;
  readonly redactor: Pick<GrowingRedactor, "register">;
}

/** Logins to MCP servers, beside the workspace's own key: readable by their owner, out of reach for every turn. */
export function mcpCredentials(places: CredentialPlaces): McpCredentialKeeper {
  const fileOf = (server: string) => join(places.root, "planes", "hot", "keys", `mcp-${server}.json`);
  return {
    async load(server) {
      const text = await places.files.readText(fileOf(server));
      if (!text.ok) return text.error.code === "NOT_FOUND" ? ok({}) : text;
      const parsed = parseJson(text.value);
      if (!parsed.ok || !isJsonObject(parsed.value))
        return err(
          domainError("CONFIG_INVALID", `the login to the MCP server "${server}" cannot be read`, {
            details: { hint: `writ tool login ${server} makes a new one` },
          }),
        );
      const credentials = parsed.value as McpCredentials;
      const hidden = hide(credentials, places.redactor);
      return hidden.ok ? ok(credentials) : hidden;
    },
    async save(server, credentials) {
      const hidden = hide(credentials, places.redactor);
      if (!hidden.ok) return hidden;
      const file = fileOf(server);
      const draft = `${file}.${Buffer.from(places.random.bytes(6)).toString("hex")}`;
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        await writeFile(draft, `${JSON.stringify(credentials)}\n`, { mode: 0o600, flag: "wx" });
        await rename(draft, file);
        return ok(undefined);
      } catch (thrown) {
        return err(
          domainError("STORE_UNAVAILABLE", `the login to "${server}" cannot be kept: ${messageOf(thrown)}`, {
            cause: thrown,
          }),
        );
      }
    },
  };
}

/** Known to the redactor before anybody has it. */
function hide({ client, tokens }: McpCredentials, redactor: CredentialPlaces["redactor"]): Result<void> {
  for (const value of [tokens?.["access_token"], tokens?.["refresh_token"], client?.["client_secret"]]) {
    if (typeof value !== "string" || value.length < 3) continue;
    const registered = redactor.register(value);
    if (!registered.ok) return registered;
  }
  return ok(undefined);
}
