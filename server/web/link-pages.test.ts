import { createHash } from "node:crypto";

import { Parser } from "htmlparser2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { signClick } from "#server/core/sending/tracking/tracking-token.ts";
import { aTrackedEmail, aTrackingServer, shownOf } from "#server/testing/tracking-server.ts";

import { expiredPage, leavingPage } from "./link-pages.ts";

let web: Awaited<ReturnType<typeof aTrackingServer>>;
let emailId: string;

beforeAll(async () => {
  web = await aTrackingServer();
  emailId = (await aTrackedEmail()).id;
});
afterAll(() => web.stop());

const follow = (url: string) => web.ask(`/t/c/${signClick({ emailId, url })}`);

/** Parses a page as a browser does: its text, elements and links. */
function read(html: string) {
  const page = { text: "", tags: [] as string[], links: [] as Record<string, string>[] };
  const parser = new Parser({
    ontext: (text) => (page.text += text),
    onopentag(name, attributes) {
      page.tags.push(name);
      if (name === "a") page.links.push(attributes);
    },
  });
  parser.end(html);
  return page;
}

const TAGS = "html head meta meta meta title style body main h1 p p bdi p a p".split(" ");

describe("the page before another site", () => {
  test("names the destination, links to it without a referrer, and loads nothing", async () => {
    const url = "https://elsewhere.example/path?a=1&b=2#c";
    const answer = await follow(url);

    const { text, tags, links } = read(answer.text);
    expect(text).toContain("Continue to elsewhere.example");
    expect(text).toContain(url);
    expect(links).toEqual([{ href: url, rel: "noreferrer noopener nofollow" }]);
    expect(tags).toEqual(TAGS);
    expect(answer.text).toContain('<html lang="en">');
    expect(answer.text).toContain('name="viewport"');
    expect(answer.text).toMatch(/color-scheme:\s*light dark/);
  });

  test("can't load, run or submit anything, or be framed, indexed or cached", async () => {
    const { headers, text } = await follow("https://elsewhere.example/");

    const style = /<style>([^]*)<\/style>/.exec(text)![1]!;
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        `default-src 'none'; style-src 'sha256-${hash}'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex, nofollow",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
    expect(headers["set-cookie"]).toBeUndefined();
    expect(style).not.toMatch(/url\(|@import/);
    expect(text).toContain('<meta name="robots" content="noindex, nofollow">');
  });

  test.each([
    ["quotes and tags in the path", `https://elsewhere.example/"><script>alert(1)</script>`],
    ["a single quote", "https://elsewhere.example/'onclick='alert(1)"],
    ["tags in the query", "https://elsewhere.example/?q=<img src=x onerror=alert(1)>&amp;"],
    ["tags in the fragment", "https://elsewhere.example/#</a></title><script>"],
    ["a user name with tags", "https://<b>\"'@elsewhere.example/"],
    ["percent-encoded line breaks", "https://elsewhere.example/%0d%0aSet-Cookie:%20a=b"],
    ["another scheme in the path", "https://elsewhere.example/javascript:alert(1)"],
  ])("escapes a URL with %s", async (_, url) => {
    const { status, text } = await follow(url);

    const { tags, links } = read(text);
    expect(status).toBe(200);
    expect(tags).toEqual(TAGS);
    expect(links[0]!.href).toBe(new URL(url).href);
    expect(Object.keys(links[0]!)).toEqual(["href", "rel"]);
  });

  test("escapes a quote in a URL as a character reference", () => {
    const page = leavingPage("https://elsewhere.example/'a'?&b");
    expect(page).toContain('href="https://elsewhere.example/&#39;a&#39;?&amp;b"');
  });

  test("shows a hostname in Unicode and in ASCII", () => {
    const { text } = read(leavingPage("https://аррӏе.example/ключ"));
    expect(text).toContain("Continue to аррӏе.example (xn--80ak6aa92e.example)");
    expect(text).toContain("https://xn--80ak6aa92e.example/%D0%BA");
  });

  test("shows no characters that change the text direction", () => {
    const { text } = read(leavingPage("https://elsewhere.example/\u202egpj.exe"));
    expect(text).not.toContain("\u202e");
  });

  test("hides a user name, which may look like a host", () => {
    const page = read(leavingPage("https://bank.example:secret@elsewhere.example/"));
    expect(page.text).toContain("Continue to elsewhere.example");
    expect(page.text).not.toMatch(/bank|secret/);
  });

  test("truncates a long URL but links to all of it", () => {
    const url = `https://elsewhere.example/${"x".repeat(5_000)}`;
    const { text, links } = read(leavingPage(url));
    expect(text).toContain("xxx…");
    expect(text.length).toBeLessThan(4_000);
    expect(links[0]!.href).toBe(url);
  });
});

test("the page of an expired link names the host as text only, whatever it is", () => {
  const { tags, links, text } = read(expiredPage(`https://xn--bcher-kva.example/"><script>`));
  expect(links).toEqual([]);
  expect(tags).not.toContain("script");
  expect(text).toContain("bücher.example (xn--bcher-kva.example)");
});

describe("a link that this instance did not sign", () => {
  test.each([
    ["one changed letter", (token: string) => (token.startsWith("A") ? "B" : "A") + token.slice(1)],
    ["a missing end", (token: string) => token.slice(0, -3)],
    [
      "another URL in it",
      (token: string) => token.slice(0, 43) + signedPart("https://evil.example/"),
    ],
    ["a URL as its token", () => encodeURIComponent("https://evil.example/")],
    ["malformed percent-encoding", () => "%"],
    ["one character", () => "x"],
  ])("with %s is a 404", async (_, change) => {
    const token = signClick({ emailId, url: "https://elsewhere.example/" });
    const answer = await web.ask(`/t/c/${change(token)}`);

    expect(answer.status).toBe(404);
    expect(answer.headers.location).toBeUndefined();
    expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(answer.text).toContain("This link does not work");
    expect(answer.text).not.toMatch(/href|example/);
  });
});

const signedPart = (url: string) => Buffer.from(url).toString("base64url");

describe("methods", () => {
  test("HEAD is answered like GET, without a body, and records nothing", async () => {
    const email = await aTrackedEmail();
    const own = `https://${email.sender.name}/`;
    const path = (url: string) => `/t/c/${signClick({ emailId: email.id, url })}`;

    const redirect = await web.ask(path(own), {}, "HEAD");
    expect(redirect).toMatchObject({ status: 302, text: "", headers: { location: own } });
    const page = await web.ask(path("https://elsewhere.example/"), {}, "HEAD");
    expect(page).toMatchObject({ status: 200, text: "" });
    expect(Number(page.headers["content-length"])).toBeGreaterThan(1_000);
    expect((await shownOf(email)).visits).toEqual([]);
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"])("%s is 405", async (method) => {
    for (const path of ["/t/c/x", "/t/o/x"])
      expect(await web.ask(path, {}, method)).toMatchObject({
        status: 405,
        headers: { allow: "GET, HEAD" },
      });
  });

  test.each(["/t", "/t/c", "/t/c/", "/t/o/?x", "/t/x/y", "/t/c/x/y", "/x/t/c/y"])(
    "%s is not a tracking path",
    async (path) => {
      expect(await web.ask(path)).toMatchObject({ text: "not tracking" });
    },
  );
});
