import * as fc from "fast-check";
import { Tokenizer } from "htmlparser2";
import { describe, expect, test, vi } from "vitest";

import { trackHtml, type Tracking } from "./rewrite-html.ts";
import { readClick, readOpen } from "./tracking-token.ts";

const emailId = "0190f3c2-7a77-7000-8000-0123456789ab";
const baseUrl = "https://mail.example";
const tracking: Tracking = { emailId, baseUrl, opens: false, clicks: true };

const clicks = (html: string, more: Partial<Tracking> = {}) =>
  trackHtml(html, { ...tracking, ...more });
const opens = (html: string) => trackHtml(html, { ...tracking, opens: true, clicks: false });

const LINK = /https:\/\/mail\.example\/t\/c\/([\w-]+)/g;
const PIXEL = /<img src="https:\/\/mail\.example\/t\/o\/([\w-]+)" width="1" height="1" [^>]*>/g;

const targets = (html: string) =>
  Array.from(html.matchAll(LINK), ([, token]) => readClick(token!)?.url);
/** The document with each tracked link replaced by its target. */
const restored = (html: string) => html.replace(LINK, (_, token: string) => readClick(token)!.url);

describe("a tracked link", () => {
  test.each([
    ["double quotes", '<a href="https://a.example/x">'],
    ["single quotes", "<a href='https://a.example/x'>"],
    ["no quotes", "<a href=https://a.example/x>"],
    ["no quotes before another attribute", "<a href=https://a.example/x target=_blank>"],
    ["an image map", '<map><area shape=rect href="https://a.example/x"/></map>'],
    ["upper case", '<A CLASS="b" HREF="HTTPS://A.example/X">'],
    ["space around the equals sign", '<a\n\thref \n = \n"https://a.example/x" >'],
    ["http", '<a href="http://a.example">'],
    ["a port, a query and a fragment", '<a href="https://a.example:8443/?q=%20ü#f">'],
    ["a name that is not ASCII", '<a href="https://bücher.example/é">'],
    ["a user name", '<a href="https://user:word@a.example/">'],
    ["a tag closed in itself", '<a href="https://a.example/"/>'],
    ["attributes without space between", '<a id="b"href="https://a.example/"title="c">'],
    ["a broken document", '<p><b><a href="https://a.example/x">x</b></p></a></i><'],
    ["a document of which nothing else is closed", '<a href="https://a.example/x">x'],
  ])("in %s keeps its target, and nothing else changes", (_, html) => {
    const tracked = clicks(`<p>${html}`);

    expect(targets(tracked)).toHaveLength(1);
    expect(restored(tracked)).toBe(`<p>${html}`);
  });

  test.each([
    ["&amp;", "https://a.example/?a=1&amp;b=2", "https://a.example/?a=1&b=2"],
    ["a bare ampersand", "https://a.example/?a=1&b=2", "https://a.example/?a=1&b=2"],
    ["a number", "&#104;ttps://a.example/&#x27;", "https://a.example/'"],
    [
      "what only looks like an entity",
      "https://a.example/?a&copy=1",
      "https://a.example/?a&copy=1",
    ],
    ["an encoded quote", "https://a.example/&quot;x", 'https://a.example/"x'],
    ["white space around", " \n https://a.example/x\n ", "https://a.example/x"],
    ["a line break in it", "https://a.example/\r\n\tlong/path", "https://a.example/long/path"],
    ["spaces in it", "https://a.example/a b  c", "https://a.example/a b  c"],
  ])("with %s leads to what a mail app would open", (_, href, url) => {
    const tracked = clicks(`<a href="${href}">x</a>`);

    expect(targets(tracked)).toEqual([url]);
    expect(tracked).toMatch(/^<a href="https:\/\/mail\.example\/t\/c\/[\w-]+">x<\/a>$/);
  });

  test("identifies the email, and is the same each time", () => {
    const html = '<a href="https://a.example/">x</a><a href="https://a.example/">y</a>';
    const [first, second] = Array.from(clicks(html).matchAll(LINK), ([, token]) => token!);

    expect(readClick(first!)).toEqual({ emailId, url: "https://a.example/" });
    expect(second).toBe(first);
    expect(clicks(html)).toBe(clicks(html));
  });

  test("is the first of two href attributes, as in browsers", () => {
    const html = '<a href="https://a.example/" href="https://b.example/">';
    expect(targets(clicks(html))).toEqual(["https://a.example/"]);
    expect(restored(clicks(html))).toBe(html);
  });

  test("of 5,000 characters keeps its target", () => {
    const url = `https://a.example/?q=${"x".repeat(4_979)}`;
    expect(targets(clicks(`<a href="${url}">`))).toEqual([url]);
  });
});

describe("does not change:", () => {
  const link = '<a href="https://a.example/">x</a>';
  test.each([
    ["mailto", '<a href="mailto:a@b.example?subject=https://a.example">'],
    ["tel", '<a href="tel:+4912345">'],
    ["an anchor", '<a href="#top">'],
    ["a relative URL", '<a href="/x?u=https://a.example/">'],
    ["a URL without scheme", '<a href="//a.example/x">'],
    [
      "another scheme",
      '<a href="ftp://a.example/"><a href="javascript:open(\'https://a.example\')">',
    ],
    ["a scheme that begins like ours", '<a href="httpsx://a.example/">'],
    ["a URL without host", '<a href="https://"><a href="https:a.example">'],
    ["no URL", '<a href="https://a b.example/"><a href="https://%zz/">'],
    ["a placeholder", '<a href="{{link}}">'],
    [
      "an empty first href",
      '<a href href="https://a.example/"><a href="" href="https://a.example/">',
    ],
    ["other attributes", '<a data-href="https://a.example/" title="https://a.example/" name=x>'],
    [
      "other elements",
      '<link href="https://a.example/"><base href="https://a.example/"><b href="https://a.example/">',
    ],
    ["images", '<img src="https://a.example/x.png">'],
    ["forms", '<form action="https://a.example/">'],
    ["a comment", `<!-- ${link} -->`],
    ["a conditional comment", `<!--[if mso]>${link}<![endif]-->`],
    ["a declaration", '<!DOCTYPE html PUBLIC "<a href=https://a.example/" "">'],
    ["a processing instruction", "<?xml <a href=https://a.example/ ?>"],
    ["CDATA", `<![CDATA[${link}]]>`],
    ["a script", `<script>"${link}"</script>`],
    ["a style", `<style>/* ${link} */</style>`],
    ["a title", `<title>${link}</title>`],
    ["a text area", `<textarea>${link}</textarea>`],
    ["text of an attribute", "<img alt='<a href=\"https://a.example/\">'>"],
    ["text", "Go to https://a.example/ or &lt;a href=&quot;https://a.example/&quot;&gt;"],
    ["an end tag", '</a href="https://a.example/">'],
    ["a tag that never ends", "x<a href=https://a.example/"],
    ["a quote that never ends", 'x<a href="https://a.example/>'],
    ["an attribute that never ends", "x<a href"],
    ["control characters in a URL", '<a href="https://a.example/\u0000\u0007">'],
    ["half a character in a URL", '<a href="https://a.example/\ud800">'],
    ["a URL too long for a request line", `<a href="https://a.example/${"x".repeat(6_000)}">`],
    ["a link that says it is not tracked", '<a href="https://a.example/" DATA-no-track>'],
    ["a link to unsubscribe", '<a href="https://a.example/Unsubscribe?u=1">'],
  ])("%s", (_, html) => {
    expect(clicks(html)).toBe(html);
  });

  test("a link of the List-Unsubscribe header, but tracks others", () => {
    const html =
      '<a href="https://a.example/out?a=1&amp;b=2">out</a><a href="https://a.example/">x</a>';
    const listUnsubscribe = "<mailto:out@a.example>, <https://a.example/out?a=1&b=2>";

    const tracked = clicks(html, { listUnsubscribe });
    expect(targets(tracked)).toEqual(["https://a.example/"]);
    expect(restored(tracked)).toBe(html);
  });

  test("a link that is already tracked", () => {
    const once = clicks(link);
    expect(clicks(once)).toBe(once);
  });

  test("links, if only opens are tracked", () => {
    expect(opens(link).replace(PIXEL, "")).toBe(link);
  });

  test("an email without tracking", () => {
    expect(trackHtml(link, { ...tracking, clicks: false })).toBe(link);
  });
});

test("tracks a link for all programs but not its copy for Word", () => {
  const html =
    '<!--[if mso]><a href="https://a.example/">x</a><![endif]-->' +
    '<!--[if !mso]><!--><a href="https://a.example/">x</a><!--<![endif]-->';
  const [before, after] = clicks(html).split("<!--[if !mso]>");
  expect(targets(before!)).toEqual([]);
  expect(targets(after!)).toEqual(["https://a.example/"]);
});

describe("the tracking image", () => {
  test.each([
    ["before the end of the body", "<body><p>x</p>|</body></html>"],
    ["before an end in upper case", "<BODY>x|</BODY >\n"],
    ["before the last of several", "<body>a</body><body>b|</body>c"],
    ["at the end when the body has none", "<p>x|"],
    ["at the end of text", "x &amp; y &am|"],
    ["not in a comment that names the body", "x<!-- </body> -->y|"],
    ["not in a script that names the body", "<script>'</body>'</script>y|"],
    ["not in an attribute that names the body", "<p title='</body>'>y|"],
    ["before a comment that never ends", "a<br>b<p>c</p>|".replace("|", "") + "<!-- d"],
  ])("is added %s", (_, html) => {
    const [before, after] = html.split("|");
    const tracked = opens(html.replace("|", ""));
    expect(tracked.replace(PIXEL, "")).toBe(html.replace("|", ""));
    if (after !== undefined) expect(tracked.replace(PIXEL, "|")).toBe(`${before!}|${after}`);
  });

  test.each(["<!-- x", "<p>a</p><style>b", "<p>a<a href='b", "<p>a</p", "a<b>c</", "x<textarea>"])(
    "is visible even if the document ends inside an element: %s",
    (html) => {
      const seen: string[] = [];
      readTags(opens(html), (name) => seen.push(name));
      expect(seen).toContain("img");
    },
  );

  test("identifies the email", () => {
    const [, token] = [...opens("<p>x").matchAll(PIXEL)][0]!;
    expect(readOpen(token!)).toBe(emailId);
  });

  test("is not added to an empty document, which would hide the text part", () => {
    expect(opens("")).toBe("");
    expect(opens(" \n")).toBe(" \n");
  });
});

const words = fc.constantFrom(
  "<",
  ">",
  "a",
  "/",
  " ",
  "=",
  '"',
  "'",
  "<a ",
  "href",
  "</body>",
  "<!--",
  "-->",
  "&",
  "&amp;",

  "https://a.example/",
  "<a href=",
  '<a href="',
  "<script>",
  "</script>",
  "<title>",
  "]]>",
  "!",
  "<![CDATA[",
  "<?",
  "</",
  "\n",
  "x",
  "<area href='",
  "é",
  "\0",
  "data-no-track",
  "<textarea ",
);
const anyHtml = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(words, { maxLength: 40 }).map((all) => all.join("")),
);

describe("for any document,", () => {
  test("removing the image and restoring the links gives back the original", () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        const tracked = trackHtml(html, { ...tracking, opens: true });
        // A target may lose only entities and insignificant white space.
        const bare = (text: string) => text.replace(/&amp;|[&\s]/g, "");
        expect(bare(restored(tracked.replace(PIXEL, "")))).toBe(bare(html));
      }),
      { numRuns: 3_000 },
    );
  });

  test("tracking it again changes nothing, and without links it never changes", () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        const once = clicks(html);
        expect(clicks(once)).toBe(once);
        if (targets(once).length === 0) expect(once).toBe(html);
      }),
      { numRuns: 2_000 },
    );
  });

  test("the elements and their order stay the same", () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        const [before, after]: [string[], string[]] = [[], []];
        readTags(html, (name) => before.push(name));
        readTags(clicks(html), (name) => after.push(name));
        expect(after).toEqual(before);
      }),
      { numRuns: 2_000 },
    );
  });
});

function readTags(html: string, onTag: (name: string) => void) {
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    {},
    {
      onopentagname: (start, end) => onTag(html.slice(start, end)),

      onattribdata: ignore,
      onattribentity: ignore,
      onattribend: ignore,
      onattribname: ignore,
      oncdata: ignore,
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}

describe("twice the length takes twice the time:", () => {
  test.each([
    ["angle brackets", "<"],
    ["nested elements", "<a>"],
    ["links that never end", '<a href="'],
    ["comments that never end", "<!--"],
    ["links", '<a href="https://a.example/">'],
    ["ampersands", "&"],
    ["attributes", "<a href=x href=y "],
    ["entities in a link", '<a href="&#104;&amp">'],
  ])("%s", (_, piece) => {
    const cost = (times: number) => {
      const slices = vi.spyOn(String.prototype, "slice");
      clicks(piece.repeat(times));
      const chars = slices.mock.results.reduce(
        (sum, { value }) => sum + (value as string).length,
        slices.mock.calls.length,
      );
      slices.mockRestore();
      return chars;
    };
    expect(cost(2_000)).toBeLessThanOrEqual(2.1 * cost(1_000) + 1_000);
  });

  test("the document's growth is limited", () => {
    const html = "<a href=http://a>".repeat(100_000);
    expect(clicks(html).length).toBeLessThan(html.length + 1_000_000);
  });
});
