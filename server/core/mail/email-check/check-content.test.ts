import { expect, test } from "vitest";

import { checkContent } from "./check-content.ts";
import { readHtml, readImages } from "./check-images.ts";

type Changes = Partial<Parameters<typeof checkContent>[0]>;

const TEXT =
  "Thank you for your order. It will arrive on Friday, and you can follow it with the link below.";
const GOOD = `<p>${TEXT}</p><p><a href="https://shop.example/orders/1">shop.example</a></p>
  <img src="https://shop.example/logo.png" alt="Shop" width="80" style="height: auto">`;

const codesOf = (changes: Changes) => findingsOf(changes).map(({ code }) => code);

function findingsOf(changes: Changes) {
  const html = changes.html === undefined ? GOOD : changes.html;
  const content = html === null ? null : readHtml(html);
  const attachments = changes.attachments ?? [];
  return checkContent({
    subject: "Your order 1042",
    text: null,
    headers: {},
    size: 5_000,
    attachments,
    html,
    content,
    images: readImages({ html, attachments }, content),
    ...changes,
  });
}

const SIZE = ` width="9" height="9"`;
const file = (size: number) => ({
  filename: "a.png",
  contentType: null,
  contentId: "a",
  content: Buffer.alloc(size),
});
const html = (body: string) => ({ html: `<p>${TEXT} ${TEXT}</p>${body}` });

test("an ordinary email has no findings", () => {
  expect(codesOf({})).toEqual([]);
  expect(codesOf({ html: null, text: "Hello" })).toEqual([]);
});

test.each<[string, Changes]>([
  ["long_subject", { subject: "x".repeat(79) }],
  ["capital_subject", { subject: "BUY NOW AND SAVE" }],
  ["punctuated_subject", { subject: "Save now!!" }],
  ["placeholder", { subject: "Hello {{name}}" }],
  ["placeholder", html("<p>Hello {{{NAME}}}</p>")],
  ["clipped_by_gmail", html("<p></p>".repeat(16_000))],
  ["large_message", { size: 21 * 1024 ** 2 }],
  ["no_text_version", { text: "" }],
  ["script", html("<script>alert(1)</script>")],
  ["empty_link", html(`<a href="#">Here</a>`)],
  ["relative_link", html(`<a href="/orders">Orders</a>`)],
  ["http_link", html(`<a href="http://shop.example/">Shop</a>`)],
  ["link_scheme", html(`<a href="javascript:alert(1)">Shop</a>`)],
  ["misleading_link", html(`<a href="https://evil.example/">www.bank.test/login</a>`)],
  ["no_alt", html(`<img src="https://shop.example/a.png"${SIZE}>`)],
  ["image_without_size", html(`<img alt="" width="9" src="//shop.example/a.png">`)],
  ["heavy_images", { ...html('<img src="cid:a" alt="A">'), attachments: [file(1024 ** 2 + 1)] }],
  ["dark_mode", html(`<p style="font:x; color: #000">Hi</p>`)],
  ["dark_mode", html(`<table bgcolor="white"><tr><td>Hi</td></tr></table>`)],
  ["data_image", html(`<img alt="" src="data:image/png;base64,AA">`)],
  ["http_image", html(`<img alt="" src="http://shop.example/a.png"${SIZE}>`)],
  ["mostly_images", { html: `<img alt="Sale" src="https://shop.example/a.png"${SIZE}>` }],
  ["unsubscribe_without_https", { headers: { "List-Unsubscribe": "<mailto:off@shop.example>" } }],
  ["unsubscribe_without_post", { headers: { "list-unsubscribe": "<https://shop.example/off>" } }],
])("finds %s", (code, changes) => {
  expect(codesOf(changes)).toEqual([code]);
});

test.each<[string, Changes]>([
  ["capital letters of a script without case", { subject: "ご注文ありがとうございます" }],
  ["links by mail and phone", html(`<a href="mailto:a@b.test">Mail</a><a href="tel:+49">Call</a>`)],
  [
    "a link that shows another host of its domain",
    html(`<a href="https://www.shop.example/a">https://shop.example</a>`),
  ],
  ["a colored link", html(`<a style="color: red" href="https://shop.example/">Shop</a>`)],
  ["text and background colors", html(`<p style="color:#000;background-color:#fff">Hi</p>`)],
  [
    "a style for dark mode",
    html(
      `<style>@media (prefers-color-scheme: dark) { p { color: #fff } }</style><p style="color:#000">`,
    ),
  ],
  ["a 2 MB attachment that isn't an inline image", { attachments: [file(2 * 1024 ** 2)] }],
  ["a hosted unsubscribe link", { headers: { "List-Unsubscribe": "auto" } }],
  [
    "one-click unsubscribing",
    {
      headers: {
        "List-Unsubscribe": "<https://shop.example/off>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      },
    },
  ],
])("accepts %s", (_, changes) => {
  expect(codesOf(changes)).toEqual([]);
});

test.each([
  ["1 of 1 image has no alt text", ""],
  ["1 of 2 images have no alt text", `<img alt="" src="https://shop.example/b.png"${SIZE}>`],
])("reports that %s", (message, more) => {
  const found = findingsOf(html(`<img src="https://shop.example/a.png"${SIZE}>${more}`));
  expect(found).toMatchObject([{ message: expect.stringContaining(message) as string }]);
});

test("measures images without requesting them", () => {
  const png = Buffer.alloc(300).toString("base64");
  const html = `<img alt="" src="data:image/png;base64,${png}"><img src="https://shop.example/a.png">
    <p style="background: url('data:image/png;base64,${png}')"><img alt="" src="cid:a">`;
  expect(readImages({ html, attachments: [file(1_000)] }, readHtml(html))).toEqual({
    embeddedBytes: 1_600,
    remote: 1,
    withoutSize: 1,
    withoutAlt: 1,
  });
});

test("reads a document of nested tags in linear time", () => {
  const { links } = readHtml("<div><a href=x>".repeat(200_000));
  expect(links).toHaveLength(1_000);
});
