import { expect, test } from "vitest";

import { contentReferences } from "./content-references.ts";

test.each([
  ['<img src="cid:logo">', "logo"],
  ["<img src=cid:logo>", "logo"],
  ["<img src='CID:logo@x.test'>", "logo@x.test"],
  ['<img src="cid:logo(1).png">', "logo(1).png"],
  ['<img src="cid:my logo.png">', "my logo.png"],
  ['<img src="cid:my%20logo%281%29.png">', "my logo(1).png"],
  ['<img src="cid:logo%40x.test">', "logo@x.test"],
  ['<img src="cid:50%25%zz">', "50%%zz"],
  ['<img src="cid:logo%20x">', "logo%20x"],
  ['<img src="cid:a&amp;b">', "a&b"],
  ['<img src="cid:logo&#40;1&#x29;">', "logo(1)"],
  ['<img src="cid&#58;logo&commat;x.test">', "logo@x.test"],
  ['<td style="background: url(cid:logo)">', "logo"],
  ['<td style="background: url(&quot;cid:logo&quot;)">', "logo"],
  ["<style>a { background: url('cid:a'), url(cid:logo); }</style>", "logo"],
  ['<!--[if mso]><v:fill src="cid:logo" /><![endif]-->', "logo"],
  ['<img srcset="cid:a 1x, cid:logo, cid:c 2x">', "logo"],
])("%s shows %s", (html, contentId) => {
  expect(contentReferences(html)(contentId)).toBe(true);
});

test.each([
  ["", "logo"],
  ['<img src="logo">', "logo"],
  ['<img src="cid:logo2">', "logo"],
  ['<img src="cid:logo.png">', "logo"],
  ['<img src="cid:my.logo">', "logo"],
  ["<p>&#9999999;</p>", "logo"],
])("%s doesn't show %s", (html, contentId) => {
  expect(contentReferences(html)(contentId)).toBe(false);
});
