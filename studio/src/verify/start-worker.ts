// oxlint-disable-next-line import/default -- Vite answers with an address what looks like a file
import address from "./worker.ts?worker&url";

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

/** The page may only run scripts that a policy names: this one names the verifier and nothing else. */
export function startWorker(): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies };
  policy ??= trustedTypes?.createPolicy("writ-verifier", { createScriptURL: () => address });
  return new Worker(policy ? policy.createScriptURL(address) : address, { type: "module" });
}

let policy: ReturnType<Policies["createPolicy"]> | undefined;
