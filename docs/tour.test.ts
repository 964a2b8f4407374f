import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

const ls = (): string[] =>
  execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
    .split("\n")
    .filter((file) => existsSync(file));

test("links in docs and README files point to existing files, folders and headings", () => {
  const pages = ls().filter((file) =>
    /^docs\/[^/]+\.md$|(^|\/)README\.md$|^CHANGELOG\.md$/.test(file),
  );
  expect(pages).toContain("docs/tour.md");
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});

test("the index of the documentation links to every page in docs", () => {
  const index = readFileSync("docs/README.md", "utf8");
  const pages = readdirSync("docs").filter((name) => /^(?!README).*\.md$/.test(name));
  expect(pages.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});

test("the README has at most 1,000 words", () => {
  expect(readFileSync("README.md", "utf8").split(/\s+/).length).toBeLessThanOrEqual(1000);
});

function brokenLinks(page: string): string[] {
  return [...readFileSync(page, "utf8").matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^([a-z]+:|\/)/.test(link))
    .filter((link) => {
      const [file, anchor] = link.split("#") as [string, string?];
      const target = file ? join(dirname(page), decodeURIComponent(file)) : page;
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    })
    .map((link) => `${page}: ${link}`);
}

/** The anchors that GitHub gives a page's headings. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(page, "utf8").replace(/^( *)```[\s\S]*?^\1```/gm, "");
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
}
