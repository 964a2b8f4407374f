import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { TEXT_CHARS_MAX, textFromHtml } from "./text-from-html.ts";

const lines = (...all: string[]) => all.join("\n");

describe("textFromHtml", () => {
  test.each([
    [
      "paragraphs",
      "<h1>Hi</h1><p>one</p>\n<p>two<br>three</p>",
      lines("Hi", "", "one", "", "two", "three"),
    ],
    [
      "no more than one blank line",
      "<p>a</p><br><br><div><p></p></div><p>b</p>",
      lines("a", "", "b"),
    ],
    ["blocks", "<div>a<div>b</div></div>c", lines("a", "b", "c")],
    ["white space", "  a \n\t b&nbsp; <b> c</b>d ", "a b cd"],
    [
      "entities",
      "&lt;b&gt; &amp;amp; &euro;&#8364;&#x20ac; &copy &nosuch;",
      "<b> &amp; €€€ © &nosuch;",
    ],
    [
      "unordered lists",
      "<p>a</p><ul><li>b<li>c<ul><li>d</ul></ul>e",
      lines("a", "", "- b", "- c", "  - d", "", "e"),
    ],
    [
      "ordered lists",
      "<ol><li><p>a</p><p>b</p></li><li>c</li></ol>",
      lines("1. a", "", "  b", "", "2. c"),
    ],
    [
      "links",
      '<a href="https://x.example/?a=1&amp;b=2">here</a>',
      "here (https://x.example/?a=1&b=2)",
    ],
    ["links that are their text", '<a href="https://x.example/">x.example</a>', "x.example"],
    [
      "links of mail addresses",
      '<a href="mailto:a@b.example?subject=x">Ann</a>',
      "Ann (a@b.example)",
    ],
    [
      "links to nowhere",
      `<a href="#top">up</a> <a href="/a">a</a> <a href="c:\\a">c</a> <a href="https://">h</a> <a>y</a>`,
      "up a c h y",
    ],
    [
      "links that run or contain something",
      `<a href="javascript:x()">x</a> <a href=" \x01Java\nScript:x()">y</a> <a href="data:text/html,x">z</a>
      <a href="vbscript:x">v</a> <a href="java&#83;cri&#112;t:x()">w</a> <a href="cid:x">c</a>`,
      "x y z v w c",
    ],
    [
      "links with white space, as browsers read them",
      `<a href=" https://x.example/a b?q=c d\n&r=\u00a0&quot; ">here</a>`,
      "here (https://x.example/a%20b?q=c%20d&r=%C2%A0%22)",
    ],
    [
      "long links",
      `<a href="https://x.example/?${"a".repeat(5_000)}">here</a>`,
      `here (https://x.example/?${"a".repeat(5_000)})`,
    ],
    ["links without a scheme", '<a href="//x.example/a">here</a>', "here (https://x.example/a)"],
    [
      "links of apps",
      '<a href="myapp://login?token=t">Open</a> <a href="com.x.app:/a">b</a> <a href="whatsapp://send?text=a b">c</a>',
      "Open (myapp://login?token=t) b (com.x.app:/a) c (whatsapp://send?text=a%20b)",
    ],
    [
      "links of phone numbers",
      '<a href="tel:+49301234">Call</a> <a href="sms:+49301234?body=Hi you">Text</a> <a href="tel:+49301234">+49 (30) 12-34</a>',
      "Call (tel:+49301234) Text (sms:+49301234?body=Hi%20you) +49 (30) 12-34",
    ],
    [
      "image maps",
      '<map><area href="https://x.example/a" alt="A"><area href="https://x.example/b"><area alt="C"></map>d',
      "A (https://x.example/a) https://x.example/b C d",
    ],
    [
      "links around a block",
      '<a href="https://x.example"><p>here</p></a><p>b</p>',
      lines("here (https://x.example)", "", "b"),
    ],
    ["links that are never closed", '<a href="https://x.example">here', "here (https://x.example)"],
    ["images", '<img alt="Our shop"><img alt=""><img src=x>', "Our shop"],
    ["links of images", '<a href="https://x.example"><img src="x"></a>', "https://x.example"],
    [
      "tables",
      "<table><tr><th>a<th>b</tr><tr><td>1</td><td>2</td></tr></table>",
      lines("a  b", "1  2"),
    ],
    [
      "preformatted text",
      "<pre>\n a\n\n\n  b  c\n</pre><p>d",
      lines(" a", "", "", "  b  c", "", "d"),
    ],
    ["quotes", "<p>a<blockquote>b<br>c</blockquote>d", lines("a", "", "> b", "> c", "", "d")],
    ["rules", "a<hr>b", lines("a", "", "---", "", "b")],
    [
      "what a browser never shows",
      "<head><title>t</title><style>s</style></head><script>x<b></script><template>y</template><!-- c -->z",
      "z",
    ],
    ["conditional comments", "<!--[if mso]><p>a</p><![endif]--><![if !mso]>b<![endif]>", "b"],
    [
      "preview lines",
      '<div style="color:red; Display : NONE"><div>a</div>b</div>c&zwj;&#8203;',
      "c\u200d",
    ],
    ["the hidden attribute", "<p hidden>a<p>b<span hidden>c</span>d<img hidden alt=e>f", "bdf"],
    [
      "hidden cells without an end",
      "<table><tr><td hidden>a<td>b<tr><td hidden><table><tr><td>c</table></table>d",
      lines("b", "", "d"),
    ],
    ["nothing", "", ""],
    ["text that is no html", "1 < 2 & 3 > 2", "1 < 2 & 3 > 2"],
    ["closing tags alone", "</p></ul></li></a></pre></blockquote>a", "a"],
  ])("converts %s", (_, html, text) => {
    expect(textFromHtml(html)).toBe(text);
  });

  test("ends with the last word, whatever Unicode white space follows it", () => {
    expect(textFromHtml("<p>Hi\u2003\u2028</p>")).toBe("Hi");
    expect(textFromHtml("<pre>Hi \u3000</pre>")).toBe("Hi");
  });

  test("returns text without outer white space or trailing spaces for any input", () => {
    const token = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        ..."< > </ & &# <p> </p> <ul> <li> <pre> </pre> <a href=http://x> </a> \n".split(" "),
      ),
      fc.constantFrom(
        "<div hidden>",
        '<td style="display:none">',
        "<table>",
        "</table>",
        "<blockquote>",
      ),
    );
    fc.assert(
      fc.property(fc.array(token), (tokens) => {
        const text = textFromHtml(tokens.join(""));
        expect(text).toBe(text.trimEnd());
        expect(text).not.toMatch(/^\n/);
      }),
    );
  });
});

describe("textFromHtml with hostile documents", () => {
  const repeated = (piece: string) => (chars: number) =>
    piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);

  const DOCUMENTS: [string, (chars: number) => string][] = [
    ["nested tags", repeated("<b>")],
    ["nested blocks", repeated("<div><p>x")],
    ["less-than signs", repeated("<")],
    ["ampersands", repeated("&")],
    ["an endless entity", (chars) => `&#${repeated("1")(chars)}`],
    ["deep lists", repeated("<ul><li>a")],
    ["deep quotes", repeated("<blockquote>a")],
    ["one unclosed attribute", (chars) => `<a href="${repeated("x")(chars)}`],
    ["one long style", (chars) => `<p style="${repeated("display ")(chars)}">`],
    ["many attributes", (chars) => `<a ${repeated("x=1 ")(chars)}>`],
    ["nested tables", repeated("<table><tr><td>a")],
    ["unclosed links", repeated("<a href=http://x.example>y")],
    ["a link with a long text", (chars) => `<a href=http://x>${repeated("a ")(chars)}</a>`],
    [
      "closing tags that close nothing",
      (chars) => repeated("<b>")(chars / 2) + repeated("</i>")(chars / 2),
    ],
    ["hidden in hidden", repeated("<div hidden>")],
    ["unclosed comments", repeated("<!--")],
    ["white space", repeated(" ")],
    ["a link of white space", (chars) => `<a href="https://x${repeated(" ")(chars)}">a</a>`],
    [
      "a link that begins with white space",
      (chars) => `<a href="${repeated(" \x01")(chars)}">a</a>`,
    ],
    ["a link of slashes", (chars) => `<a href="x:${repeated("/")(chars)}">a</a>`],
    [
      "lines of preformatted text in deep lists",
      (chars) => repeated("<ul>")(chars / 2) + "<pre>" + repeated("a\n")(chars / 2),
    ],
  ];

  // With quadratic running time, these would take minutes and fail the test by its timeout.
  test.each(DOCUMENTS)("finishes within the time limit for 2 MB of %s", (_, document) => {
    expect(textFromHtml(document(2_000_000)).length).toBeLessThanOrEqual(TEXT_CHARS_MAX);
  });
});
