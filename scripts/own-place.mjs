import { readFileSync } from "node:fs";

/**
 * For esbuild: files that lie beside a module (queries, migrations, contracts) are found from the place that `urlOf` writes down for it.
 * What `change` makes of a module's text is bundled in its place.
 */
export function ownPlace(urlOf, change = (text) => text) {
  return {
    name: "own-place",
    setup({ onLoad }) {
      onLoad({ filter: /\.m?ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        const contents = change(text, path).replaceAll("import.meta.url", () => urlOf(path));
        return contents === text ? undefined : { contents, loader: "ts" };
      });
    },
  };
}
