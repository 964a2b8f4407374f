import { getDomain } from "tldts";

import type { EmailInput } from "#server/core/sending/emails/email-input.ts";

import { checkImages, type FoundLink, type HtmlContent, type ImageFacts } from "./check-images.ts";
import { type EmailProblem, emailWarning } from "./check-envelope.ts";

/** Gmail hides the rest of a longer document behind a link. */
const GMAIL_CLIPS_AT_BYTES = 102 * 1024;
/** Gmail, Outlook.com and most other providers reject larger messages. */
const ACCEPTED_EVERYWHERE_BYTES = 20 * 1024 * 1024;
/** RFC 5322, 2.1.1, minus the name of the field. */
const SUBJECT_SHOWN_MAX = 78;
const SHOWN_URL_MAX = 100;

type Checked = Pick<EmailInput, "subject" | "html" | "text" | "headers" | "attachments"> & {
  /** Content of the HTML; null without HTML. */
  content: HtmlContent | null;
  images: ImageFacts;
  /** Size of the whole message, in octets. */
  size: number;
};

/** Checks what readers and spam filters see of an email, apart from its sender and recipients. */
export const checkContent = (email: Checked): EmailProblem[] => [
  ...checkSubject(email.subject),
  ...checkSize(email),
  ...checkText(email),
  ...(email.content ? checkHtml(email.content, email.images) : []),
  ...checkUnsubscribe(email.headers),
];

const checkHtml = (content: HtmlContent, images: ImageFacts): EmailProblem[] => [
  ...checkLinks(content.links),
  ...checkImages(content, images),
  ...checkColors(content.colors),
];

function checkSubject(subject: string): EmailProblem[] {
  const letters = subject.replace(/[^\p{L}]/gu, "");
  const isShouted =
    letters.length >= 8 && letters === letters.toUpperCase() && /\p{Lu}/u.test(letters);
  return [
    ...(subject.length > SUBJECT_SHOWN_MAX
      ? [
          emailWarning(
            "long_subject",
            `The subject has ${subject.length} characters. Mail apps show about 60; keep it under ${SUBJECT_SHOWN_MAX}`,
          ),
        ]
      : []),
    ...(isShouted
      ? [
          emailWarning(
            "capital_subject",
            "The subject is in capital letters, which looks like spam. Use sentence case",
          ),
        ]
      : []),
    ...(/!{2,}|\?{3,}/.test(subject)
      ? [
          emailWarning(
            "punctuated_subject",
            "The subject repeats exclamation or question marks, which looks like spam. Use one",
          ),
        ]
      : []),
    ...(hasPlaceholder(subject) ? [placeholderLeft("subject")] : []),
  ];
}

function checkSize({ html, size }: Checked): EmailProblem[] {
  const htmlBytes = Buffer.byteLength(html ?? "");
  return [
    ...(htmlBytes > GMAIL_CLIPS_AT_BYTES
      ? [
          emailWarning(
            "clipped_by_gmail",
            `The HTML is ${Math.ceil(htmlBytes / 1024)} KB. Gmail shows the first 102 KB; shorten it`,
          ),
        ]
      : []),
    ...(size > ACCEPTED_EVERYWHERE_BYTES
      ? [
          emailWarning(
            "large_message",
            `The message is ${(size / 1024 ** 2).toFixed(0)} MB. Many servers reject messages over 20 MB. Link to large files instead`,
          ),
        ]
      : []),
  ];
}

const checkText = ({ html, text, content }: Checked): EmailProblem[] => [
  ...(html && text === ""
    ? [
        emailWarning(
          "no_text_version",
          "The email has no text version, which spam filters and screen readers expect. Leave text out to have it generated",
        ),
      ]
    : []),
  ...(content?.hasScript
    ? [
        emailWarning(
          "script",
          "The HTML contains a script. Mail programs never run it, and some servers reject it. Remove it",
        ),
      ]
    : []),
  ...(hasPlaceholder(html ?? "") || hasPlaceholder(text ?? "") ? [placeholderLeft("content")] : []),
];

/** `{{name}}` or `{{{NAME}}}`, as in most template languages. */
const hasPlaceholder = (text: string): boolean => /\{\{\{?\s*[A-Za-z_][\w. ]{0,60}\}\}/.test(text);

const placeholderLeft = (where: string): EmailProblem =>
  emailWarning("placeholder", `The ${where} contains a {{placeholder}} that nothing fills in`);

function checkLinks(links: FoundLink[]): EmailProblem[] {
  return links.flatMap(({ url, text }) => {
    const shown = url.slice(0, SHOWN_URL_MAX);
    if (/^(mailto:|tel:|sms:|#.|cid:)/i.test(url)) return [];
    if (url === "" || url === "#")
      return [emailWarning("empty_link", `A link (“${text.trim().slice(0, 40)}”) has no target`)];
    if (!URL.canParse(url))
      return [
        emailWarning(
          "relative_link",
          `The link ${shown} isn't a complete URL, so it doesn't work in an email`,
        ),
      ];
    const { protocol, hostname } = new URL(url);
    if (protocol === "http:")
      return [emailWarning("http_link", `The link ${shown} isn't encrypted. Use https`)];
    if (protocol !== "https:")
      return [emailWarning("link_scheme", `Mail programs don't open links like ${shown}`)];
    const named = namedDomain(text);
    return named && named !== getDomain(hostname)
      ? [
          emailWarning(
            "misleading_link",
            `A link shows ${named} but leads to ${hostname}, which looks like phishing. Make them match`,
          ),
        ]
      : [];
  });
}

/** The registered domain that a link's text shows, if it looks like an address on the web. */
function namedDomain(text: string): string | null {
  const [, host] =
    /^\s*(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?:[/?#]\S*)?\s*$/i.exec(text) ?? [];
  return host ? getDomain(host) : null;
}

/** In dark mode, mail apps replace the colors that an email leaves out, and some replace all. */
function checkColors({ text, background, hasDarkMode }: HtmlContent["colors"]): EmailProblem[] {
  if (hasDarkMode || text === background) return [];
  const problem = text
    ? "text colors but no background color, so dark text can be on a dark background in dark mode"
    : "background colors but no text color, so light text can be on a light background in dark mode";
  return [emailWarning("dark_mode", `The HTML sets ${problem}. Set both`)];
}

/** RFC 8058, which Gmail and Yahoo require for promotional mail. */
function checkUnsubscribe(headers: Record<string, string>): EmailProblem[] {
  const field = (wanted: string) =>
    Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
  const list = field("list-unsubscribe");
  if (list === undefined || list.trim().toLowerCase() === "auto") return [];
  if (!/<https:[^>]+>/i.test(list))
    return [
      emailWarning(
        "unsubscribe_without_https",
        "List-Unsubscribe has no https URL, so there is no one-click unsubscribe. Use List-Unsubscribe: auto, or add one",
      ),
    ];
  if (field("list-unsubscribe-post")?.trim() !== "List-Unsubscribe=One-Click")
    return [
      emailWarning(
        "unsubscribe_without_post",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click is missing, which Gmail and Yahoo require for one-click unsubscribe",
      ),
    ];
  return [];
}
