import { isAbsolute, join } from "node:path";
import { type PostgresAddress, postgresAddress } from "#core/database";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Secrets } from "../secrets/create-secrets.ts";

/** Where a workspace keeps what it shares. */
export type StorePlace =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly address: PostgresAddress };

/** Where runs are kept in a workspace on files. */
export const kernelFile = "planes/hot/kernel.db";

/** For the place of a file, which has no password. */
export const withoutSecrets: Pick<Secrets, "fill"> = { fill: (text) => Promise.resolve(ok(text)) };

const reference = /^\$\{secret:[^}]+\}$/;

/** Reads `sqlite:FILE` or `postgres://…`. A password stands there by reference, `${secret:NAME}`, never as it is. */
export async function storePlace(
  text: string,
  root: string,
  secrets: Pick<Secrets, "fill">,
): Promise<Result<StorePlace>> {
  if (text.startsWith("sqlite:") && text.length > "sqlite:".length) {
    const file = text.slice("sqlite:".length);
    return ok({ kind: "sqlite", file: isAbsolute(file) ? file : join(root, file) });
  }
  if (!/^postgres(ql)?:/.test(text))
    return err(
      domainError("CONFIG_INVALID", `"${text.replace(/:.*$/s, ":…")}" is no store that this version knows`, {
        details: { hint: "use sqlite:FILE or postgres://user@host:port/database" },
      }),
    );
  const address = postgresAddress(text);
  if (!address.ok) return address;
  const { password } = address.value;
  if (password === undefined) return ok({ kind: "postgres", address: address.value });
  if (!reference.test(password))
    return err(
      domainError(
        "CONFIG_INVALID",
        `the store ${address.value.shown} has its password in the open: configuration and command lines are read by many`,
        { details: { hint: "write ${secret:NAME} in its place and say under `secrets:` where NAME is found" } },
      ),
    );
  const filled = await secrets.fill(password);
  if (!filled.ok) return filled;
  return ok({ kind: "postgres", address: { ...address.value, password: filled.value } });
}
