import { is, json, objectOf, type Route } from "#core/routes";
import { type Clock, ok, type Result } from "#core/values";
import type { Keyring } from "#people";
import { authenticate } from "../security/authenticate.ts";
import { type SignInSeal, setCookie, signedInSeconds } from "../security/sign-in-cookie.ts";

export interface SignInParts {
  readonly clock: Clock;
  readonly keys: Pick<Keyring, "authenticate">;
  readonly signInSeal: () => Promise<Result<SignInSeal>>;
}

const shared: Pick<
  Route<SignInParts>,
  "path" | "tag" | "right" | "query" | "headers" | "otherAnswers" | "reserveId" | "isSecret" | "isProbe"
> = {
  path: "/api/v1/sign-in",
  tag: "server",
  right: "public",
  query: {},
  headers: {},
  otherAnswers: [],
  reserveId: null,
  isSecret: true, // the answer opens what the key opens
  isProbe: false,
};

/** A browser signs in and out: its cookie stands for the key, in every tab and in every link that is opened. */
export const signInRoutes: readonly Route<SignInParts>[] = [
  {
    ...shared,
    method: "POST",
    summary: "Signs a browser in with an API key; the answer sets a cookie that no script reads",
    body: "sign_in_request_v1",
    answer: { status: 200, description: "The caller that the key makes.", schema: objectOf({ caller: is.text }) },
    async handle({ clock, keys, signInSeal }, { body, header }) {
      const { key } = body as { readonly key: string };
      const caller = await authenticate(`Bearer ${key}`, { byKey: (sent) => keys.authenticate(sent) });
      if (!caller.ok) return caller;
      const seal = await signInSeal();
      if (!seal.ok) return seal;
      const sealed = seal.value.seal(key, clock.now() + signedInSeconds * 1000);
      const isEncrypted = header("x-forwarded-proto") === "https" || header("origin")?.startsWith("https:") === true;
      const cookie = setCookie(sealed, signedInSeconds, isEncrypted);
      return ok({ ...json({ caller: caller.value?.id ?? "" }), headers: { "set-cookie": cookie } });
    },
  },
  {
    ...shared,
    method: "DELETE",
    summary: "Signs a browser out: its cookie is taken back",
    body: null,
    answer: { status: 200, description: "Signed out.", schema: objectOf({ signed_out: is.flag }) },
    handle: async () => ok({ ...json({ signed_out: true }), headers: { "set-cookie": setCookie("", 0, false) } }),
  },
];
