import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "#core/values";
import { hideUnseen, type Visibility } from "./hide-unseen.ts";
import { createSecretIndex, type SecretIndex } from "./secret-index.ts";

describe("folders that go away while a sandbox is prepared are hidden, and the turn begins", () => {
  let root: string;
  let mask: string;
  let whiteout: string;
  beforeEach(() => {
    const place = mkdtempSync(join(tmpdir(), "writ-hide-"));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    [root, mask, whiteout] = [join(place, "workspace"), join(place, "mask"), join(place, "whiteout")];
    for (const folder of ["a/deep", "b"]) mkdirSync(join(root, folder), { recursive: true });
    for (const file of ["a/deep/.env", "b/seen"]) writeFileSync(join(root, file), "");
    mkdirSync(mask);
    writeFileSync(whiteout, "");
  });
  const prepare = (visibility: Visibility, secrets: SecretIndex = { below: () => [] }) =>
    hideUnseen({ root, mask, whiteout, identity: { kind: "self", uid: 0, gid: 0 }, visibility, secrets });
  const remove = (folder: string) => rmSync(join(root, folder), { recursive: true, force: true });

  test("before they are covered", () => {
    const hidden = prepare({
      isVisible: () => true,
      visibilityBelow: (path) => {
        if (path === "a") remove("a");
        return "mixed";
      },
    });
    expect([...hidden]).toEqual(["a"]);
    expect(existsSync(join(mask, "b"))).toBe(true);
  });

  test("before they are listed", () => {
    const hidden = prepare({
      isVisible: () => {
        remove("a"); // asked of what is in b, which is listed first
        return true;
      },
      visibilityBelow: () => "mixed",
    });
    expect([...hidden]).toEqual(["a"]);
  });

  test("before what is secret in them is hidden", () => {
    const index = createSecretIndex(root, systemClock);
    const secrets: SecretIndex = {
      below: (folder) => {
        const found = index.below(folder);
        remove(join(folder, "deep"));
        return found;
      },
    };
    const hidden = prepare({ isVisible: () => true, visibilityBelow: () => "all" }, secrets);
    expect([...hidden]).toEqual(["a/deep"]);
  });
});
