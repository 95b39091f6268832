import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type LivenessLock, waitForLiveness } from "#core/database";
import { codeOfError, type DomainError, domainError, messageOf } from "#core/errors";
import { replaceFile } from "#core/machine";
import { type Clock, err, type Files, isJsonObject, ok, parseJson, type Result } from "#core/values";
import type { GrowingRedactor } from "#log";
import type { McpCredentialKeeper, McpCredentials } from "#workspace";

export interface CredentialPlaces {
  readonly root: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly redactor: Pick<GrowingRedactor, "register">;
}

/** Names that `replaceFile` gives to drafts. */
const draftShape = /\.json\.[0-9a-f]{12}$/;

/** Longer than the time limit of a renewal. */
const waitMs = 45_000;

/** A save loses its draft only to another save that succeeded, so 20 losses in a row do not happen in practice. */
const maxAttempts = 20;

/** Logins to MCP servers, beside the workspace's own key: readable by their owner, out of reach for every turn. */
export function mcpCredentials(places: CredentialPlaces): McpCredentialKeeper {
  const folder = join(places.root, "planes", "hot", "keys");
  const fileOf = (server: string) => join(folder, `mcp-${server}.json`);
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
      for (let attempt = 1; ; attempt += 1)
        try {
          await mkdir(folder, { recursive: true, mode: 0o700 });
          await replaceFile(file, `${JSON.stringify(credentials)}\n`, 0o600);
          await clearDrafts(file);
          return ok(undefined);
        } catch (thrown) {
          if (attempt === maxAttempts || !isGone(thrown)) return err(cannotKeep(server, thrown));
        }
    },
    async inTurn(server, work) {
      let lock: LivenessLock | undefined;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        lock = await waitForLiveness(`${fileOf(server)}.lock`, { clock: places.clock, waitMs });
      } catch (thrown) {
        return err(cannotKeep(server, thrown));
      }
      if (!lock)
        return err(
          domainError(
            "STORE_UNAVAILABLE",
            `another process has been renewing the login to "${server}" for ${waitMs} ms; try again`,
          ),
        );
      try {
        await work();
        return ok(undefined);
      } finally {
        lock.release();
      }
    },
  };
}

/**
 * Removes drafts of processes that died, since they hold tokens that are never used. Called after a save: if another process
 * is still writing a draft, it finds the draft gone and writes a new one.
 */
async function clearDrafts(file: string): Promise<void> {
  for (const name of await readdir(dirname(file)))
    if (name.startsWith(`${basename(file)}.`) && draftShape.test(name))
      await rm(join(dirname(file), name), { force: true });
}

function isGone(thrown: unknown): boolean {
  return codeOfError(thrown) === "ENOENT";
}

function cannotKeep(server: string, thrown: unknown): DomainError {
  return domainError("STORE_UNAVAILABLE", `the login to "${server}" cannot be kept: ${messageOf(thrown)}`, {
    cause: thrown,
  });
}

/** Registers the secrets with the redactor before a caller gets them. */
function hide({ client, tokens, dpop }: McpCredentials, redactor: CredentialPlaces["redactor"]): Result<void> {
  for (const value of [tokens?.["access_token"], tokens?.["refresh_token"], client?.["client_secret"], dpop?.["d"]]) {
    if (typeof value !== "string" || value.length < 3) continue;
    const registered = redactor.register(value);
    if (!registered.ok) return registered;
  }
  return ok(undefined);
}
