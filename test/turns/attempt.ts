/** What the attempts may aim at; all of it lies outside the sandbox. */
export interface Targets {
  readonly outside: string;
  readonly victim: string;
  readonly secret: string;
  readonly root: string;
  readonly victimPid: number;
  readonly writPid: number;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly abstractName: string;
}

export interface Attempt {
  readonly name: string;
  readonly command: (targets: Targets) => readonly string[];
  /** Needs the compiled program. */
  readonly native?: boolean;
  readonly outputs?: readonly string[];
  readonly limits?: Readonly<Record<string, number>>;
  /** The code that the turn must end with, where the attempt leaves something to find. */
  readonly code?: string;
  /** What its output must hold. */
  readonly says?: RegExp;
  /** DONE means here only that the call succeeded inside, where it has no effect outside. */
  readonly harmlessInside?: boolean;
}

export type Program = (targets: Targets) => readonly string[];

/** Each statement on its own: one that is refused does not spare us the next. */
export const node: (...statements: readonly ((targets: Targets) => string)[]) => Program =
  (...statements: readonly ((targets: Targets) => string)[]) =>
  (targets: Targets): readonly string[] => [
    "node",
    "-e",
    `const fs = require("node:fs"); const attempt = (f) => { try { f(); console.log("DONE"); } catch (e) { console.log("refused", e.code ?? e.message); } };\n${statements
      .map((each) => `attempt(() => { ${each(targets)} });`)
      .join("\n")}`,
  ];
export const sh: (script: (targets: Targets) => string) => Program =
  (script: (targets: Targets) => string) =>
  (targets: Targets): readonly string[] => ["/bin/sh", "-c", script(targets)];
export const native: (...calls: readonly ((targets: Targets) => string)[]) => Program =
  (...calls: readonly ((targets: Targets) => string)[]) =>
  (targets: Targets): readonly string[] => [
    "/bin/sh",
    "-c",
    calls.map((each) => `bin/attempt ${each(targets)}`).join("; "),
  ];
export const q = (text: string): string => JSON.stringify(text);
