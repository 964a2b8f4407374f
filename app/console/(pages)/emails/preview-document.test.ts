import { expect, test } from "vitest";

import { findFastGrowth, HTML, type Parser } from "#server/testing/growth.ts";

import {
  bodyAttributes,
  fixColorScheme,
  mapStyleUrls,
  renameHandlers,
} from "./preview-document.ts";

test.each([
  ["a{background:url(http://x.test/a.png)}", "a{background:url(new)}"],
  ["a{background:url( 'http://x.test/(a).png' )}", "a{background:url('new')}"],
  ['a{background:URL("http://x.test/a.png"),url(b)}', 'a{background:url("new"),url(new)}'],
  ["@import url(x.css);a{b:url()}", "a{b:url()}"],
  ["a{b:c}@font-face{src:url(x)}", "a{b:c}"],
])("finds the images of a style: %s", (css, changed) => {
  expect(mapStyleUrls(css, () => "new")).toBe(changed);
});

test("renames event handlers, but not text that looks like them", () => {
  expect(renameHandlers(`<img onerror="a" title=" onclick=">on click = x`)).toBe(
    `<img data-removed="a" title=" onclick=">on click = x`,
  );
});

test("reads the attributes of the body", () => {
  expect(bodyAttributes(`<html><BODY bgcolor="red"><p>`)).toBe(` bgcolor="red"`);
  expect(bodyAttributes("<p>body</p>")).toBe("");
});

test("a condition on the color scheme becomes its result", () => {
  const css = "@media ( prefers-color-scheme : Dark ){a{}}";
  expect(fixColorScheme(css, "dark")).toBe("@media (min-width: 0px){a{}}");
  expect(fixColorScheme(css, "light")).toBe("@media (max-width: 0px){a{}}");
});

const CSS = [
  "url(",
  "url('",
  'url("',
  ")",
  "'",
  '"',
  " ",
  "a",
  "@import",
  "@font-face",
  "{",
  "}",
  ";",
  "//",
];

test.each<[string, Parser["run"], string[]]>([
  ["images of a style", (css) => mapStyleUrls(css, (url) => url), CSS],
  [
    "color schemes",
    (css) => fixColorScheme(css, "dark"),
    [...CSS, "(", "prefers-color-scheme", ":"],
  ],
  ["event handlers", renameHandlers, [...HTML, "<a on", "on", "'", "<a\"'"]],
  ["attributes of the body", bodyAttributes, [...HTML, "<body", "<body "]],
])("takes time at most linear in the length: %s", { timeout: 120_000 }, async (_, run, pieces) => {
  // `url(` and a long text, unterminated.
  const around = (text: string) => `url(${text}`;
  expect(await findFastGrowth({ pieces, run })).toEqual([]);
  expect(await findFastGrowth({ pieces, run, around })).toEqual([]);
});
