import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { signClick, signOpen } from "#server/core/sending/tracking/tracking-token.ts";
import { aTrackedEmail, aTrackingServer, shownOf } from "#server/testing/tracking-server.ts";

let web: Awaited<ReturnType<typeof aTrackingServer>>;

beforeAll(async () => {
  web = await aTrackingServer();
});
afterAll(() => web.stop());

/** Opens an email and follows its link with a program, and returns the events in the email's history. */
async function visitsWith(headers: Record<string, string>) {
  const email = await aTrackedEmail();
  const url = `https://${email.sender.name}/`;
  const image = await web.ask(`/t/o/${signOpen(email.id)}`, headers);
  const link = await web.ask(`/t/c/${signClick({ emailId: email.id, url })}`, headers);
  expect([image.status, link.status, link.headers.location]).toEqual([200, 302, url]);
  return (await shownOf(email)).visits.map(({ type }) => type);
}

describe("doesn't count as a reader, but is served:", () => {
  test.each([
    ["sec-purpose", "prefetch"],
    ["sec-purpose", "prefetch;prerender"],
    ["purpose", "prefetch"],
    ["x-purpose", "preview"],
    ["x-moz", "prefetch"],
  ])("a browser with the header %s: %s", async (name, value) => {
    expect(await visitsWith({ [name]: value })).toEqual([]);
  });

  test.each([
    "BarracudaLinkProtect/1.0",
    "Mozilla/5.0 (compatible; Proofpoint URL Defense)",
    "Mimecast-Scan",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (Windows NT 10.0) BingPreview/1.0b",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "facebookexternalhit/1.1",
    "WhatsApp/2.23.20.0 A",
    "Mozilla/5.0 (Windows NT 6.1) SkypeUriPreview Preview/0.5",
    "Microsoft Office Existence Discovery",
    "W3C-checklink/4.81",
  ])("%s", async (userAgent) => {
    expect(await visitsWith({ "user-agent": userAgent })).toEqual([]);
  });
});

describe("counts as a reader:", () => {
  test.each([
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)",
    "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
    "Mozilla/5.0 (Linux; Android 9; CUBOT) AppleWebKit/537.36 Mobile Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) [FBAN/FBIOS;FBAV/437.0]",
    "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.16827; Pro)",
    "Thunderbird/115.0",
    "curl/8.5.0",
  ])("%s", async (userAgent) => {
    expect(await visitsWith({ "user-agent": userAgent })).toEqual([
      "email.opened",
      "email.clicked",
    ]);
  });

  test("a program without a User-Agent", async () => {
    expect(await visitsWith({ "user-agent": "" })).toEqual(["email.opened", "email.clicked"]);
  });
});
