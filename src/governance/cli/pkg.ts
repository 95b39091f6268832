import { resolve } from "node:path";
import { anyNumber, argument, type Command, type CommandGroup, exitStatus, flag, text } from "#core/commands";
import type { Screen } from "#core/terminal";
import { table } from "#core/terminal";
import { ok, type Result } from "#core/values";
import type { Agreement, InstallOutcome, ListedPackage, RemoveOutcome } from "../packages/package-installer.ts";
import { describeRecovered, type PackageVerification } from "../packages/verify-packages.ts";
import { agreeing } from "./agree-to-losses.ts";
import { type BuildOptions, type BuildParts, buildToFile } from "./build-to-file.ts";

const build: Command<"choice", BuildParts, BuildOptions> = {
  name: "build",
  summary: "make an archive of a folder with a manifest.json; the same folder gives the same bytes",
  needs: "choice",
  json: "package_id, version, file, files, archive_sha256 and key_sha256",
  arguments: [argument("dir", "the folder")],
  options: {
    out: text("file", "where to write it (default: PACKAGE-VERSION.tar here)"),
    key: text("file", "sign with this Ed25519 key (PEM; default: the workspace's own)"),
  },
  examples: ["writ pkg build my-package --out my-package.tar"],
  exits: null,
  run: buildToFile,
};

interface InstallerParts {
  readonly installer: {
    installFiles(files: readonly string[], how: Agreement): Promise<Result<readonly InstallOutcome[]>>;
    list(): readonly ListedPackage[];
    remove(package_id: string, how: Agreement): Promise<Result<RemoveOutcome>>;
  };
}

interface AgreementOptions {
  readonly yes?: boolean;
}

const install: Command<"packages", InstallerParts, AgreementOptions> = {
  name: "install",
  summary: "examine an archive, try it in a copy, then install it whole or not at all",
  needs: "packages",
  json: "package_id, version, state, files, trusted_as, signed_by and kept; of several archives as `packages`",
  arguments: [argument("file", "the archive"), anyNumber("more", "archives that pass the gates only together with it")],
  options: { yes: flag("replace what people wrote where it lies in the way; a copy is kept") },
  about:
    "Refused is what would leave the workspace unusable: a schema, framework, skill or workflow that does not load, a shut gate.",
  examples: ["writ pkg install my-package.tar", "writ pkg install rules.tar tools.tar"],
  exits: null,
  run: async ({ installer }, invocation) => {
    const files = invocation.arguments.map((file = "") => resolve(invocation.context.cwd, file));
    const done = await agreeing(invocation, (how) => installer.installFiles(files, how));
    if (!done.ok) return done;
    const [only, ...more] = done.value;
    return ok({
      json: more.length === 0 ? only : { packages: done.value },
      text: (screen) => done.value.map((each) => describeInstall(each, screen)).join(""),
    });
  },
};

interface VerifyParts {
  verify(options: { readonly repair: boolean }): Promise<Result<PackageVerification>>;
}

interface VerifyOptions {
  readonly repair?: boolean;
}

const verify: Command<"packages", VerifyParts, VerifyOptions> = {
  name: "verify",
  summary: "hold every installed file against its package's archive, and finish what was interrupted",
  needs: "packages",
  json: "ok, packages, files, findings, repaired, recovered and kept",
  arguments: [],
  options: { repair: flag("put back what differs; a copy of what lay there is kept") },
  examples: ["writ pkg verify --repair"],
  exits: { 1: "a file differs from its archive" },
  run: async (packages, { options: { repair = false } }) => {
    const done = await packages.verify({ repair });
    if (!done.ok) return done;
    const exit = done.value.ok ? exitStatus.done : exitStatus.failed;
    return ok({ json: done.value, text: (screen) => describeVerification(done.value, screen), exit });
  },
};

const list: Command<"packages", InstallerParts> = {
  name: "list",
  summary: "installed packages, the workspace's before Writ's own",
  needs: "packages",
  json: "packages with package_id, version, home, files and title",
  arguments: [],
  options: {},
  examples: ["writ pkg list"],
  exits: null,
  run: async ({ installer }) => {
    const packages = installer.list();
    const rows = packages.map((each) => [each.package_id, each.version, each.home, `${each.files}`, each.title ?? ""]);
    return ok({
      json: { packages },
      text: (screen) => table(screen, ["package", "version", "from", "files", "what it is"], rows),
    });
  },
};

const remove: Command<"packages", InstallerParts, AgreementOptions> = {
  name: "remove",
  summary: "take a package and its files away; what people wrote is asked about, and a copy is kept",
  needs: "packages",
  json: "package_id and version of what is gone, and kept",
  arguments: [argument("package", "its id")],
  options: { yes: flag("remove what people changed or added there too; a copy is kept") },
  examples: ["writ pkg remove PKG-MINE-001"],
  exits: null,
  run: async ({ installer }, invocation) => {
    const done = await agreeing(invocation, (how) => installer.remove(invocation.arguments[0] ?? "", how));
    if (!done.ok) return done;
    const { package_id, version } = done.value;
    return ok({
      json: done.value,
      text: (screen) =>
        `${screen.green(screen.sign.ok)} ${package_id} ${version} is removed\n${describeKept(done.value.kept, screen)}`,
    });
  },
};

interface AdoptParts {
  adopt(): Promise<Result<InstallOutcome | null>>;
}

const adopt: Command<"packages", AdoptParts> = {
  name: "adopt",
  summary: "take frameworks, registries and schemas that you wrote here into the workspace's own package",
  needs: "packages",
  json: "adopted: as `writ pkg install` prints it, or null",
  arguments: [],
  options: {},
  examples: ["writ pkg adopt"],
  exits: null,
  run: async (packages) => {
    const done = await packages.adopt();
    if (!done.ok) return done;
    const outcome = done.value;
    return ok({
      json: { adopted: outcome },
      text: (screen) => (outcome ? describeInstall(outcome, screen) : "nothing to adopt: every file has its owner\n"),
    });
  },
};

export const pkg: CommandGroup<typeof build | typeof install | typeof list | typeof verify | typeof adopt> = {
  name: "pkg",
  summary: "packages: contracts with an owner, a hash and a signature",
  examples: ["writ pkg list", "writ pkg verify"],
  members: [build, install, verify, list, remove, adopt],
};

function describeInstall(
  { package_id, version, state, files, trusted_as, signed_by, kept }: InstallOutcome,
  screen: Screen,
): string {
  const done = {
    new: "is installed",
    upgrade: "is installed in place of the older one",
    already: "was installed already",
  };
  return `${screen.green(screen.sign.ok)} ${package_id} ${version} ${done[state]}: ${files} ${files === 1 ? "file" : "files"}\n  ${screen.dim(`signed with ${signed_by.slice(0, 16)}…, trusted as ${trusted_as === "root" ? "a trust root" : `the ${trusted_as}'s own`}`)}\n${describeKept(kept, screen)}`;
}

function describeKept(kept: string | undefined, screen: Screen): string {
  return kept === undefined ? "" : `  ${screen.dim(`what people wrote there is kept in ${kept}/`)}\n`;
}

function describeVerification(found: PackageVerification, screen: Screen): string {
  const { packages, files, findings, repaired, recovered, kept } = found;
  const lines = [
    ...recovered.map((each) => `${screen.yellow(screen.sign.warn)} ${describeRecovered(each)}`),
    ...repaired.map((path) => `${screen.green(screen.sign.ok)} put back ${path}`),
    ...kept.map((folder) => describeKept(folder, screen).trimEnd()),
  ];
  for (const { message, expected, found, repair } of findings)
    lines.push(
      `${screen.red(screen.sign.bad)} ${message}`,
      ...(expected === undefined ? [] : [`    expected ${expected}`]),
      ...(found === undefined ? [] : [`    found    ${found}`]),
      ...(repair === undefined ? [] : [`    ${screen.cyan(repair)}`]),
    );
  if (findings.length === 0)
    lines.push(`${screen.green(screen.sign.ok)} ${packages} packages, ${files} files: all as they were installed`);
  return `${lines.join("\n")}\n`;
}
