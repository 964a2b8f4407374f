import { createHash } from "node:crypto";
import { domainToUnicode } from "node:url";

import { escapeMarkup } from "#server/core/shared/text.ts";
import { type Language, mailTexts } from "#server/universal/texts/languages.ts";

import type { WebReply } from "./exchange.ts";

const URL_CHARS_SHOWN = 300;

const STYLE = `
:root{color-scheme:light dark;--text:#1c1e21;--back:#f6f7f9;--card:#fff;--line:#d5d9e0;--soft:#555c66;--link:#0b57d0}
@media(prefers-color-scheme:dark){:root{--text:#eceef1;--back:#15171a;--card:#1f2226;--line:#3c424a;--soft:#aab1bb;--link:#9cc2ff}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{box-sizing:border-box;width:min(34rem,100% - 2rem);margin:1rem;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 1rem;font-size:1.35rem;line-height:1.3;overflow-wrap:anywhere}
p{margin:0 0 1rem;overflow-wrap:anywhere}
.soft{color:var(--soft);font-size:.9rem}
a,button{display:inline-block;padding:.6rem 1.2rem;border:2px solid var(--link);border-radius:.5rem;color:var(--link);font-weight:600}
button{background:none;font:inherit;font-weight:600;cursor:pointer}
:is(a,button):focus-visible{outline:3px solid var(--link);outline-offset:3px}`;

/** A message in quarantine, as its release link shows it. */
type ReleasedMessage = { subject: string; from: string; mailbox: string };

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

const policy = (formAction: string) =>
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; ` +
  `base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;

/** Headers of all responses to links in emails: prevent caching, referrers and indexing. */
export const LINK_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
};

/** A page that can't load, run or submit anything, or be framed. */
export const pageReply = (status: number, html: string): WebReply => ({
  status,
  type: "text/html",
  body: html,
  headers: { ...LINK_HEADERS, "content-security-policy": policy("'none'") },
});

/** A confirmation page. Its form can be submitted to this server. */
export const formReply = (html: string): WebReply => ({
  status: 200,
  type: "text/html",
  body: html,
  headers: { ...LINK_HEADERS, "content-security-policy": policy("'self'") },
});

/** The page that shows a link's destination and asks the reader before continuing to it. */
export function leavingPage(link: string): string {
  const url = new URL(link);
  return page(
    `Continue to ${shownHost(url)}`,
    `<p>The link in your email leads to a website that may not belong to its sender:</p>
<p><bdi>${escapeMarkup(shownUrl(url))}</bdi></p>
<p><a href="${escapeMarkup(url.href)}" rel="noreferrer noopener nofollow">Continue to the website</a></p>
<p class="soft">Continue only if you trust this address. If you did not expect it, close this page.</p>`,
  );
}

/** The page of an expired link. Names the host but doesn't link to it: it may have a new owner by now. */
export function expiredPage(link: string): string {
  return page(
    "This link has expired",
    `<p>Links in emails work for 180 days, and this email is older.</p>
<p>It led to <bdi>${escapeMarkup(shownHost(new URL(link)))}</bdi>. If you still need it, ask the sender for a new link.</p>`,
  );
}

/** The page of an unsubscribe link. Its form posts to the link itself. */
export function unsubscribePage(recipient: string): string {
  return page(
    "Unsubscribe",
    `<p>The sender of this email will send nothing more to <bdi>${escapeMarkup(recipient)}</bdi>, including messages about orders and accounts.</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Unsubscribe</button></form>`,
  );
}

export function unsubscribedPage(recipient: string): string {
  return page(
    "You’re unsubscribed",
    `<p>The sender will send nothing more to <bdi>${escapeMarkup(recipient)}</bdi>. To receive email again, ask the sender.</p>`,
  );
}

/** The page after an unsubscribe request that couldn't be recorded. */
export const unavailablePage = (): string =>
  page("Not unsubscribed yet", "<p>Something went wrong. Try again in a few minutes.</p>");

/** The page of a link that this instance didn't sign. */
export function unknownPage(language: Language = "en"): string {
  const text = mailTexts(language);
  return page(text("link.unknown"), `<p>${text("link.unknown.text")}</p>`, language);
}

/** The page while the webmail program doesn't respond. */
export function webmailDownPage(language: Language): string {
  const text = mailTexts(language);
  return page(text("webmail.down"), `<p>${text("webmail.down.text")}</p>`, language);
}

/** Where a release link leads: what it releases, with a button that posts to the link itself. */
export function releasePage(
  { subject, from, mailbox }: ReleasedMessage,
  language: Language,
): string {
  const text = mailTexts(language);
  const isolated = (value: string) => `<bdi>${escapeMarkup(value)}</bdi>`;
  const sender = isolated(from || text("digest.noSender"));
  return page(
    text("release.title"),
    `<p>${text("release.text")}</p>
<p><strong>${isolated(subject || text("digest.noSubject"))}</strong><br>${text("digest.from", { sender })}<br>${text("digest.to", { recipients: isolated(mailbox) })}</p>
<form method="post"><button>${text("release.button")}</button></form>`,
    language,
  );
}

export function releasedPage({ subject, mailbox }: ReleasedMessage, language: Language): string {
  const text = mailTexts(language);
  const released = text("release.done.text", {
    subject: `<bdi>${escapeMarkup(subject || text("digest.noSubject"))}</bdi>`,
    mailbox: `<bdi>${escapeMarkup(mailbox)}</bdi>`,
  });
  return page(text("release.done"), `<p>${released}</p>`, language);
}

/** The page of a release link that no longer works, or after a release that failed. */
export function notReleasedPage(
  reason: "expired" | "gone" | "not_allowed" | "failed",
  language: Language,
): string {
  const text = mailTexts(language);
  return page(text(`release.${reason}`), `<p>${text(`release.${reason}.text`)}</p>`, language);
}

/** A request to confirm forwarding, as its link shows it. */
type ForwardRequestPage = {
  mailbox: string;
  written: string;
  companyName: string;
  state: "open" | "confirmed" | "declined";
  isExpired: boolean;
};

// After an answer, the page's URL has that answer's query, which a button without `formaction` would post again.
const CONFIRM = '<button formaction="?confirm">Confirm forwarding</button>';
const decline = (label: string) => `<button formaction="?decline">${label}</button>`;

/** Where the link of a forwarding request leads, with buttons that post the answer to it; null once the mailbox is gone. */
export function forwardPage(request: ForwardRequestPage | null): string {
  if (!request)
    return page("This mailbox no longer exists", "<p>Nothing is forwarded to you from it.</p>");
  const { state, isExpired } = request;
  const [mailbox, target, company] = [request.mailbox, request.written, request.companyName].map(
    (text) => `<bdi>${escapeMarkup(text)}</bdi>`,
  );
  const [title, sentence, buttons] = {
    confirmed: [
      "Forwarding is on",
      `Mail to ${mailbox} is forwarded to ${target}. You can stop it here at any time.`,
      decline("Stop forwarding"),
    ],
    declined: [
      "Nothing is forwarded to you",
      `Mail to ${mailbox} isn’t forwarded to ${target}, and ${company} can’t ask you again.`,
      isExpired ? "" : CONFIRM,
    ],
    open: isExpired
      ? [
          "This request has expired",
          `Mail to ${mailbox} isn’t forwarded to ${target}. The mailbox user can send you a new request. If you decline, ${company} can’t ask you again.`,
          decline("Decline"),
        ]
      : [
          "Forward mail to you?",
          `${mailbox} at ${company} wants to forward mail to ${target}. Confirm only if you expected this. If you decline, ${company} can’t ask you again.`,
          `${CONFIRM} ${decline("Decline")}`,
        ],
  }[state] as [string, string, string];
  return page(title, `<p>${sentence}</p>\n<form method="post">${buttons}</form>`);
}

function page(title: string, content: string, language: Language = "en"): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeMarkup(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeMarkup(title)}</h1>
${content}
</main>
</body>
</html>
`;
}

/** Formats a host in Unicode with its ASCII form next to it, since letters of different scripts can look alike. */
function shownHost({ hostname }: URL): string {
  const name = domainToUnicode(hostname);
  return name === "" || name === hostname ? hostname : `${name} (${hostname})`;
}

/** Formats a URL in ASCII, without the user name, which can be made to look like the host. */
function shownUrl(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  const text = shown.href;
  return text.length > URL_CHARS_SHOWN ? `${text.slice(0, URL_CHARS_SHOWN)}…` : text;
}
