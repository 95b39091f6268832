import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { sha256 } from "#core/values";
import { builderProgram } from "../../src/effects/sandbox/perl/builder-program.ts";
import { holderProgram } from "../../src/effects/sandbox/perl/holder-program.ts";
import { launcherProgram } from "../../src/effects/sandbox/perl/launcher-program.ts";
import type { TurnSandboxOptions } from "../../src/effects/sandbox/turn-sandbox.ts";
import { type TurnWorkspace, turnWorkspace } from "../support/turn-workspace.ts";

const folders: string[] = [];
let workspace: TurnWorkspace | undefined;
afterEach(async () => {
  await workspace?.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A program that stands in for one of the sandbox's. */
function impostor(script: string): string {
  const folder = mkdtempSync("/var/tmp/writ-impostor-");
  folders.push(folder);
  chmodSync(folder, 0o755);
  const path = join(folder, "program");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** bubblewrap that leaves out one of its options, with that option's arguments. */
const without = (option: string, count: number, instead = "") =>
  impostor(`n=$#; i=0; skip=0
while [ $i -lt $n ]; do a=$1; shift; i=$((i+1))
if [ $skip -gt 0 ]; then skip=$((skip-1)); continue; fi
if [ "$a" = "${option}" ]; then skip=${count}; set -- "$@" ${instead}; continue; fi
set -- "$@" "$a"; done
exec /usr/bin/bwrap "$@"`);

/** One of our programs with one thing different; the test fails when that thing is no longer there. */
function changed(program: string, what: string, by: string): string {
  expect(program).toContain(what);
  return program.replace(what, by);
}

async function attempt(
  sandbox: Partial<TurnSandboxOptions>,
): Promise<{ code: string | undefined; message: string; ran: boolean; events: string[] }> {
  workspace = turnWorkspace({ sandbox });
  const result = await workspace.run({ sh: "echo ran >ran.txt", outputs: ["ran.txt"] });
  return {
    code: result.error?.code,
    message: result.error?.message ?? "",
    ran: existsSync(join(workspace.root, "ran.txt")),
    events: workspace.recorder.events.map((event) => event.type),
  };
}

const allowAll = new Uint8Array([0x06, 0, 0, 0, 0, 0, 0xff, 0x7f]);

describe("a turn is refused, and never run bare, when", () => {
  const cases: readonly (readonly [name: string, options: () => Partial<TurnSandboxOptions>, says: RegExp])[] = [
    ["bubblewrap is missing", () => ({ tools: { bwrap: "/nonexistent/bwrap" } }), /bwrap.*install/],
    ["unshare is missing", () => ({ tools: { unshare: "/nonexistent/unshare" } }), /unshare/],
    [
      "Landlock is not applied",
      () => ({ programs: { launcher: changed(launcherProgram("x86_64"), "if ($abi > 0)", "if (0)") } }),
      /Landlock/,
    ],
    [
      "Landlock allows everything",
      () => ({
        programs: { launcher: changed(launcherProgram("x86_64"), '$below->("/", 0xd)', '$below->("/", 0xffff)') },
      }),
      /Landlock/,
    ],
    [
      "pid 1 hands its environment on",
      () => ({
        tools: { bwrap: without("--clearenv", 0, "--setenv LEAK 1") },
        programs: {
          launcher: changed(launcherProgram("x86_64"), "%ENV = splice", "%ENV = (%ENV, splice").replace(
            "2 * $variables;",
            "2 * $variables);",
          ),
        },
      }),
      /environment/,
    ],
    [
      "the holder mounts no overlay",
      () => ({
        programs: { holder: changed(holderProgram("x86_64"), 'mounted("overlay"', '0 and mounted("overlay"') },
      }),
      /layer|hidden/,
    ],
    [
      "the holder shows the workspace itself",
      () => ({
        programs: {
          holder: changed(
            holderProgram("x86_64"),
            'mounted("overlay", "merged", "overlay", 6, $options)',
            'mounted($root, "merged", 0, 0x1000, 0)',
          ),
        },
      }),
      /workspace|layer|hidden/,
    ],
    [
      "bubblewrap fails",
      () => ({ tools: { bwrap: impostor("echo no namespaces here >&2; exit 1") } }),
      /failed its own test/,
    ],
    [
      "bubblewrap only pretends",
      () => ({
        tools: {
          bwrap: impostor(
            'while [ "$1" != -- ]; do shift; done; shift; echo \'{ "child-pid": 1 }\' >&4; "$@"; echo \'{ "exit-code": 0 }\' >&4',
          ),
        },
      }),
      /failed its own test/,
    ],
    [
      "the seccomp filter allows everything",
      () => ({ filter: { architecture: "x86_64", bytes: allowAll, hash: sha256(allowAll) } }),
      /the filter refuses/,
    ],
    ["the seccomp filter is not loaded", () => ({ tools: { bwrap: without("--seccomp", 1) } }), /seccomp/],
    [
      "the seccomp filter is broken",
      () => ({ filter: { architecture: "x86_64", bytes: new Uint8Array(12), hash: sha256("") } }),
      /failed its own test/,
    ],
    [
      "the namespaces are shared",
      () => ({ tools: { bwrap: without("--unshare-all", 0) } }),
      /namespace|failed its own test/,
    ],
    [
      "the network is shared",
      () => ({ tools: { bwrap: without("--unshare-all", 0, "--unshare-all --share-net") } }),
      /net namespace/,
    ],
    [
      "the whole disk is shown",
      () => ({ tools: { bwrap: without("--proc", 1, "--ro-bind / / --proc /proc") } }),
      /outside/,
    ],
    ["the root is writable", () => ({ tools: { bwrap: without("--remount-ro", 1) } }), /root cannot be written/],
    [
      "the overlay is not mounted",
      () => ({ tools: { perl: undefined, mount: impostor('[ "$1" = -t ] && exit 0; exec /bin/mount "$@"') } }),
      /layer|hidden/,
    ],
    [
      "the overlay is the workspace itself",
      () => ({
        tools: {
          perl: undefined,
          mount: impostor(
            'if [ "$1" = -t ]; then o=${5#*lowerdir=*:}; o=${o%%,*}; exec /bin/mount --bind "$o" merged; fi; exec /bin/mount "$@"',
          ),
        },
      }),
      /workspace|layer|hidden/,
    ],
    ["mounting fails", () => ({ tools: { perl: undefined, mount: impostor("exit 32") } }), /failed its own test/],
    [
      "the environment leaks",
      () => ({ tools: { perl: undefined, bwrap: without("--clearenv", 0, "--setenv LEAK 1") } }),
      /environment/,
    ],
  ];
  const standIn = (what: string, by: string): Partial<TurnSandboxOptions> => ({
    minimumTier: "T2",
    tools: { bwrap: undefined },
    programs: { builder: changed(builderProgram("x86_64"), what, by) },
  });
  const withoutBubblewrap: typeof cases = [
    [
      "nobody asked for the tier that it makes",
      () => ({ tools: { bwrap: undefined } }),
      /install the package bubblewrap/,
    ],
    ["it loads no filter", () => standIn('must("seccomp", $PRCTL, 22, 2, $program)', "1"), /seccomp/],
    ["it shares the network", () => standIn("0x40000000)", "0)"), /net namespace/],
    [
      "it shows the whole disk",
      () =>
        standIn(
          'must("umount", $UMOUNT, $oldRoot, 2)',
          '0x5000, mkdir("/new/old"), mounted("/old", "/new/old", 0, 0x5000, 0)',
        ),
      /failed its own test/,
    ],
    [
      "its root is writable",
      () => standIn('attributes($one eq "/" ? "/new" : "/new$one", 1, 0)', "1"),
      /root cannot be written/,
    ],
  ];
  test.each(withoutBubblewrap)(
    "without bubblewrap, what stands in for it is of no use: %s",
    async (_, options, says) => {
      const { code, message, ran } = await attempt(options());
      expect(code, message).toBe("SANDBOX_UNAVAILABLE");
      expect(message).toMatch(says);
      expect(ran).toBe(false);
    },
  );

  const asRoot: typeof cases = [
    [
      "the holder does not give root's id up",
      () => ({ programs: { holder: changed(holderProgram("x86_64"), "if (!$own)", "if (0)") } }),
      /failed its own test/,
    ],
  ];
  test.each([...cases, ...(process.getuid?.() === 0 ? asRoot : [])])("%s", async (_, options, says) => {
    const { code, message, ran, events } = await attempt(options());
    expect(code, message).toBe("SANDBOX_UNAVAILABLE");
    expect(message).toMatch(says);
    expect(ran).toBe(false);
    expect(events).toEqual(["turn.failed"]);
  });
});

test("with every layer in place it runs, and the evidence names them", async () => {
  const { code, message, ran } = await attempt({});
  expect(code, message).toBeUndefined();
  expect(ran).toBe(true);
  expect(workspace?.recorder.of("turn.started")[0]?.isolation).toMatchObject({
    tier: "T3",
    layers: expect.arrayContaining(["namespaces", "minimal_root", "seccomp", "overlay", "landlock", "unprivileged_id"]),
  });
});

test("without bubblewrap a profile that names the tier gets its sandbox, and the evidence says which", async () => {
  const { code, message, ran } = await attempt({ minimumTier: "T2", tools: { bwrap: undefined } });
  expect(code, message).toBeUndefined();
  expect(ran).toBe(true);
  expect(workspace?.recorder.of("turn.started")[0]?.isolation).toMatchObject({ tier: "T2", backend: "namespaces" });
});

test.runIf(process.getuid?.() === 0)(
  "the weaker tier runs only where the profile names it, and the evidence says so",
  async () => {
    const refused = await attempt({ tools: { perl: undefined } });
    expect(refused.code).toBe("SANDBOX_UNAVAILABLE");
    expect(refused.message).toContain("minimum_tier");
    await workspace?.close();
    workspace = turnWorkspace({ sandbox: { tools: { perl: undefined }, minimumTier: "T2" } });
    const result = await workspace.run({ sh: "echo ran >ran.txt", outputs: ["ran.txt"] });
    expect(result.error).toBeNull();
    expect(workspace.recorder.of("turn.started")[0]?.isolation).toMatchObject({
      tier: "T2",
      runs_as: "mapped",
      self_test: "passed",
    });
  },
);
