// Removes the trees that its arguments name, and says what it left.
import { removeTree } from "../../src/core/machine/remove-tree.ts";

process.stdout.write(JSON.stringify(process.argv.slice(2).flatMap((path) => removeTree(path))));
