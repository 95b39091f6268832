import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { isJsonObject, ok, type Result } from "#core/values";
import { type WritConfig, workspaceKey } from "#workspace";

export const signInCookie = "writ_sign_in";

/** After this a browser asks for the key again. */
export const signedInSeconds: number = 30 * 24 * 60 * 60;

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * What a browser keeps in place of the API key: the key, sealed for this workspace. Every server of it opens the cookie, also
 * after a restart, and authenticates by the key: a key that is revoked or expires ends the sign-in at once.
 */
export interface SignInSeal {
  seal(key: string, until: number): string;
  /** The key; undefined for what was not sealed here, or is over. */
  open(sealed: string, now: number): string | undefined;
}

export async function signInSeal(root: string, config: Pick<WritConfig, "signing">): Promise<Result<SignInSeal>> {
  const found = await workspaceKey(root, config);
  if (!found.ok) return found;
  const secret = new Uint8Array(hkdfSync("sha256", found.value, "", "writ studio sign-in", 32));
  return ok({
    seal(key, until) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, secret, iv);
      const sealed = Buffer.concat([cipher.update(JSON.stringify({ key, until }), "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
    },
    open(sealed, now) {
      try {
        const bytes = Buffer.from(sealed, "base64url");
        const opener = createDecipheriv(algorithm, secret, bytes.subarray(0, ivBytes));
        opener.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
        const text = Buffer.concat([opener.update(bytes.subarray(ivBytes + tagBytes)), opener.final()]).toString(
          "utf8",
        );
        const said: unknown = JSON.parse(text);
        const isStanding = isJsonObject(said) && typeof said["until"] === "number" && said["until"] > now;
        return isStanding && typeof said["key"] === "string" ? said["key"] : undefined;
      } catch {
        return undefined; // not sealed here: the request is one without a key
      }
    },
  });
}

/** The value of the sign-in in a Cookie header. */
export function signInOf(header: string | undefined): string | undefined {
  const found = header?.split(";").find((part) => part.trim().startsWith(`${signInCookie}=`));
  return found?.trim().slice(signInCookie.length + 1);
}

/** No script reads it, no other site sends it, and only an encrypted connection carries it where there is one. */
export function setCookie(value: string, seconds: number, isEncrypted: boolean): string {
  const secure = isEncrypted ? "; Secure" : "";
  return `${signInCookie}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}
