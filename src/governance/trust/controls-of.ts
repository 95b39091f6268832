import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { domainError } from "#core/errors";
import { nodeFiles } from "#core/machine";
import { type Clock, err, ok, type Result } from "#core/values";
import {
  type ControlSettings,
  configDefaults,
  createSecrets,
  type Environment,
  readControlSettings,
  readEnvironment,
  type Secrets,
  type WritConfig,
} from "#workspace";
import { isOwnWorkspace, trustPlace } from "./trust-place.ts";
import { vouchedIn } from "./vouched-in.ts";
import { leadsTo } from "./writes-outside.ts";

export interface Controls {
  /** The defaults with what the settings say: nothing else of the workspace's own is in force. */
  readonly config: WritConfig;
  /** Fills the address of the store. Starts no program. */
  readonly secrets: Pick<Secrets, "fill">;
}

/**
 * Where the store and the keys of a workspace are, for commands that must work however hostile, broken or changed its
 * configuration is. What this user agreed to comes first: a configuration that changed since names a store that no process
 * of this user can be using. Without an agreement only what lies in the workspace itself is believed.
 */
export async function controlsOf(sources: {
  readonly root: string;
  readonly env: Environment;
  readonly clock: Clock;
}): Promise<Result<Controls>> {
  const { root, env } = sources;
  const spoken = readEnvironment(env);
  if (!spoken.ok) return spoken;
  const believed = await believedSettings(sources);
  const store = typeof spoken.value["store"] === "string" ? spoken.value["store"] : believed.store;
  if (store === undefined) return err(storeNotAgreed(root));
  const { secrets, private_key, public_key, local_caller } = believed;
  const programs = Object.keys(secrets).filter((name) => secrets[name]?.command !== undefined);
  const readable = Object.fromEntries(Object.entries(secrets).filter(([name]) => !programs.includes(name)));
  const filled = createSecrets({
    sources: readable,
    ports: { root, env, files: nodeFiles },
    register: () => ok(undefined), // only an address gets it, and nothing that was read here is recorded
  });
  return ok({
    config: {
      ...configDefaults,
      store,
      identity: { ...configDefaults.identity, local_caller },
      signing: { ...configDefaults.signing, private_key, public_key },
    },
    secrets: {
      async fill(text) {
        const program = programs.find((name) => text.includes(`\${secret:${name}}`) && env[name] === undefined);
        return program === undefined ? filled.fill(text) : err(printedByProgram(program));
      },
    },
  });
}

type Believed = Omit<ControlSettings, "store"> & { readonly store: string | undefined };

async function believedSettings({
  root,
  env,
}: {
  readonly root: string;
  readonly env: Environment;
}): Promise<Believed> {
  const { root: real, store } = await trustPlace({ root, env });
  const agreed = (await store?.recordOf(real))?.controls;
  if (agreed !== undefined) return agreed;
  const named = await readControlSettings(root, nodeFiles);
  const isBelieved = vouchedIn(env).includes(real) || (await isOwnWorkspace({ root, env }));
  return isBelieved ? named : withinWorkspace(real, named);
}

async function withinWorkspace(root: string, named: ControlSettings): Promise<Believed> {
  const { private_key, public_key } = configDefaults.signing;
  const areKeysInside = (await isInside(root, named.private_key)) && (await isInside(root, named.public_key));
  const isFile = named.store.startsWith("sqlite:");
  const isFileInside = isFile && (await isInside(root, named.store.slice("sqlite:".length)));
  return {
    ...named,
    secrets: {},
    store: isFileInside ? named.store : isFile ? configDefaults.store : undefined,
    ...(areKeysInside ? {} : { private_key, public_key }),
  };
}

async function isInside(root: string, path: string): Promise<boolean> {
  const target = await leadsTo(join(await realpath(root), path));
  return target !== undefined && `${target}/`.startsWith(`${root}/`);
}

function storeNotAgreed(root: string) {
  return domainError(
    "WORKSPACE_NOT_TRUSTED",
    `the store of ${root} is at an address that this user never agreed to, and a password may go there`,
    {
      details: {
        root,
        hint: "name the store yourself: WRIT_STORE='postgres://…' before the command; `writ trust` agrees to the one of writ.yaml",
      },
    },
  );
}

function printedByProgram(name: string) {
  return domainError(
    "SECRET_NOT_FOUND",
    `the secret ${name} of the store is printed by a program of the workspace, and this command starts none`,
    { details: { secret: name, hint: `export ${name}=… before the command` } },
  );
}
