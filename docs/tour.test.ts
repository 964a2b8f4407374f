import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

test("links in docs and README files point to existing files and folders", () => {
  const pages = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
    .split("\n")
    .filter((file) => /^docs\/[^/]+\.md$|(^|\/)README\.md$/.test(file) && existsSync(file));
  expect(pages).toContain("docs/tour.md");
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});

function brokenLinks(page: string): string[] {
  return [...readFileSync(page, "utf8").matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^([a-z]+:|#|\/)/.test(link))
    .filter((link) => !existsSync(join(dirname(page), decodeURIComponent(link.split("#")[0]!))))
    .map((link) => `${page}: ${link}`);
}
