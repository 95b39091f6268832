import type { FileSet } from "./file-set.ts";

export interface ChangeText {
  readonly objective: string;
  readonly summary: string;
  readonly files: FileSet;
}

/** A change as one document that people can read: what it is for, and each file whole. */
export function renderChange({ objective, summary, files }: ChangeText): string {
  const parts = [...files]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([path, content]) => {
      const fence = "`".repeat(Math.max(3, ...(content.match(/`+/g) ?? []).map((run) => run.length + 1)));
      const language = /\.([a-z0-9]+)$/i.exec(path)?.[1] ?? "";
      const ending = content === "" || content.endsWith("\n") ? "" : "\n";
      return `## ${path}\n\n${fence}${language}\n${content}${ending}${fence}\n`;
    });
  const title = objective.split(/[\r\n]/)[0] ?? objective;
  return [`# ${title}\n`, `${summary.trim()}\n`, ...parts].join("\n");
}
