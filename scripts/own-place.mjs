import { readFileSync } from "node:fs";

/** For esbuild: files that lie beside a module (queries, migrations, contracts) are found from the place that `urlOf` writes down for it. */
export function ownPlace(urlOf) {
  return {
    name: "own-place",
    setup({ onLoad }) {
      onLoad({ filter: /\.m?ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (!text.includes("import.meta.url")) return undefined;
        return { contents: text.replaceAll("import.meta.url", urlOf(path)), loader: "ts" };
      });
    },
  };
}
