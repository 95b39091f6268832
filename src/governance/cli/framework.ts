import { argument, type Command, type CommandGroup, exitStatus, optional, text } from "#core/commands";
import { type Clock, ok, type Result } from "#core/values";
import type { FrameworkProblem, InspectedFramework } from "../frameworks/inspect-frameworks.ts";
import type { PackageHome } from "../packages/home.ts";
import { frameworkTighten } from "./framework-tighten.ts";

interface NewOptions {
  readonly title?: string;
}

const create: Command<"workspace", { readonly root: string }, NewOptions> = {
  name: "new",
  summary: "write a framework: a manifest, a prompt contract, an attention template and its registry lines",
  needs: "workspace",
  json: "framework_id, created and kept",
  arguments: [argument("id", "its id, such as FMWK-INVOICE")],
  options: { title: text("text", "what people call it (default: from the id)") },
  about:
    "Nothing is overwritten: files that are there stay as they are. Each file explains its own fields. Agents act under it once it is adopted.",
  examples: ["writ framework new FMWK-INVOICE", 'writ framework new FMWK-INVOICE --title "Invoice desk"'],
  exits: null,
  run: async ({ root }, { arguments: [framework_id = ""], options: { title } }) => {
    const { writeFramework } = await import("../frameworks/write-framework.ts");
    const written = await writeFramework(root, { framework_id, title });
    if (!written.ok) return written;
    const { describeNew } = await import("./describe-framework.ts");
    return ok({ json: written.value, text: (screen) => describeNew(written.value, screen) });
  },
};

interface HomeParts {
  readonly homes: readonly PackageHome[];
}

const check: Command<"packages", HomeParts> = {
  name: "check",
  summary: "whether frameworks are sound, and what has to be adopted before agents act under them",
  needs: "packages",
  json: "ok, frameworks with framework_id, from, path and problems, and adoption",
  arguments: [optional("id", "only this one (default: those of the workspace)")],
  options: {},
  examples: ["writ framework check", "writ framework check FMWK-INVOICE --json"],
  exits: { 1: "a framework is not sound, or a file is not adopted" },
  run: async ({ homes }, { arguments: [framework_id], context }) => {
    const read = await inspected(homes);
    if (!read.ok) return read;
    const found =
      framework_id === undefined
        ? ok(read.value.filter(({ from }) => from === "workspace"))
        : await named(read.value, framework_id);
    if (!found.ok) return found;
    const adoption = await unadopted(homes, context.clock);
    const frameworks = found.value.map(({ framework_id: id, from, path, problems }) => ({
      framework_id: id,
      from,
      path,
      problems,
    }));
    const isSound = adoption.length === 0 && frameworks.every(({ problems }) => problems.length === 0);
    const { describeCheck } = await import("./describe-framework.ts");
    return ok({
      json: { ok: isSound, frameworks, adoption },
      text: (screen) => describeCheck(found.value, adoption, screen),
      exit: isSound ? exitStatus.done : exitStatus.failed,
    });
  },
};

const list: Command<"packages", HomeParts> = {
  name: "list",
  summary: "frameworks that orders can name, the workspace's before Writ's own",
  needs: "packages",
  json: "frameworks with framework_id, title, status, version, from and path",
  arguments: [],
  options: {},
  examples: ["writ framework list"],
  exits: null,
  run: async ({ homes }) => {
    const read = await inspected(homes);
    if (!read.ok) return read;
    const frameworks = read.value.map(({ framework_id, from, path, manifest }) => ({
      framework_id,
      title: manifest?.title ?? null,
      status: manifest?.status ?? "broken",
      version: manifest?.version ?? null,
      from,
      path,
    }));
    const { table } = await import("../../core/terminal/table.ts");
    const rows = frameworks.map((each) => [
      each.framework_id,
      each.version ?? "",
      each.status,
      each.from,
      each.title ?? "",
    ]);
    return ok({
      json: { frameworks },
      text: (screen) => table(screen, ["framework", "version", "status", "from", "what it is"], rows),
    });
  },
};

const show: Command<"packages", HomeParts> = {
  name: "show",
  summary: "what a framework permits, asks for and checks, and which parameters its prompts take",
  needs: "packages",
  json: "framework_id, from, path, manifest, contracts with their parameters, and problems",
  arguments: [argument("id", "its id")],
  options: {},
  examples: ["writ framework show FMWK-005"],
  exits: null,
  run: async ({ homes }, { arguments: [framework_id = ""] }) => {
    const read = await inspected(homes);
    const found = read.ok ? await named(read.value, framework_id) : read;
    if (!found.ok) return found;
    const [framework] = found.value;
    const { describeFramework } = await import("./describe-framework.ts");
    return ok({ json: framework, text: (screen) => describeFramework(framework, screen) });
  },
};

export const framework: CommandGroup<typeof create | typeof check | typeof frameworkTighten> = {
  name: "framework",
  summary: "frameworks: what agents may be, touch and spend, and what they are asked",
  examples: ["writ framework new FMWK-INVOICE", "writ framework check", "writ framework show FMWK-INVOICE"],
  members: [create, check, list, show, frameworkTighten],
};

async function inspected(homes: readonly PackageHome[]): Promise<Result<readonly InspectedFramework[]>> {
  const { inspectFrameworks } = await import("../frameworks/inspect-frameworks.ts");
  const { nodeFiles } = await import("../../core/machine/node-files.ts");
  const { loadRegistry } = await import("../../core/contracts/workspace.ts");
  const schemas = await loadRegistry({ files: nodeFiles, root: homes[0]?.root ?? "" });
  return schemas.ok ? ok(await inspectFrameworks(homes, { files: nodeFiles, schemas: schemas.value })) : schemas;
}

async function named(
  all: readonly InspectedFramework[],
  framework_id: string,
): Promise<Result<readonly [InspectedFramework]>> {
  const { namedFramework } = await import("../frameworks/find-framework.ts");
  const found = namedFramework(all, framework_id);
  return found.ok ? ok([found.value]) : found;
}

/** Files of the workspace that govern and that no package owns as they are: every order is refused until they are adopted. */
async function unadopted(homes: readonly PackageHome[], clock: Clock): Promise<readonly FrameworkProblem[]> {
  const { HomeReader } = await import("../packages/adapters/home-reader.ts");
  const { assetsMatch, filesOwned } = await import("../gates/g0-assets.ts");
  const { shippedRegistry } = await import("../../core/contracts/registry.ts");
  const evidence = homes
    .filter(({ name }) => name === "workspace")
    .map((home) => new HomeReader({ home, schemas: shippedRegistry(), clock }).read());
  return [assetsMatch(evidence), filesOwned(evidence)].flatMap(({ findings }) =>
    findings.map(({ subject, message, repair }) => ({
      where: subject,
      message,
      ...(repair === undefined ? {} : { repair }),
    })),
  );
}
