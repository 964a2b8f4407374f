/** Characters of an answer that are kept. */
const SHOWN_MAX = 500;

/** Of parts of an address, those this long may be secrets; shorter ones are words. */
const PART_MIN = 6;

const MARK = "***";

/**
 * What may be shown of an endpoint's answer: its first 500 characters, without what the endpoint's
 * address may keep secret, which pages of errors and echoes repeat. Its path and its query go, and so do
 * each segment of the path, pair of the query and value of a pair of six characters or more, percent-encoded
 * or not, as JSON or HTML writes them, in capitals or not.
 *
 * @param isCut the answer went on: its end may be the beginning of such a part, which then goes too
 */
export function redactResponse(
  body: Buffer,
  { endpoint, isCut }: { endpoint: string; isCut: boolean },
): string {
  const text = toSafeText(body);
  const secrets = listSecrets(new URL(endpoint));
  if (text === "" || secrets.length === 0) return truncate(text);
  const whole = isCut ? stripPartialSecret(text.replace(/\ufffd+$/, ""), secrets) : text;
  return truncate(whole.replace(new RegExp(secrets.map(RegExp.escape).join("|"), "gi"), MARK));
}

/** As UTF-8. Postgres takes no NUL, and nobody wants the other control characters. */
function toSafeText(body: Buffer): string {
  return body.toString("utf8").replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, "\ufffd");
}

/** The longest first: a part of a longer one must not break it up. */
function listSecrets({ pathname, search }: URL): string[] {
  const query = search.slice(1);
  const pairs = query.split("&");
  const values = pairs.map((pair) => pair.slice(pair.indexOf("=") + 1));
  const parts = [...pathname.split("/"), ...pairs, ...values];
  const wholes = [pathname + search, pathname, search].filter((whole) => whole.length > 1);
  const secrets = [
    ...wholes.flatMap(forms),
    ...[query, ...parts].flatMap(forms).filter((part) => part.length >= PART_MIN),
  ];
  return [...new Set(secrets)].sort((a, b) => b.length - a.length);
}

/** How a part may be written. */
function forms(part: string): string[] {
  const plain = decoded(part);
  const spaced = decoded(part.replaceAll("+", " "));
  const written = [part, plain, spaced, encodeURI(plain), encodeURIComponent(plain)];
  return written.flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
    form.replace(/[^\x00-\x7f]/g, unicodeEscape),
    form.replaceAll("/", "\\/"),
    form.replaceAll("&", "&amp;"),
  ]);
}

const unicodeEscape = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Without the beginning of a secret at the very end. */
function stripPartialSecret(text: string, secrets: string[]): string {
  const lower = text.toLowerCase();
  const begun = secrets.map((secret) => {
    const start = secret.toLowerCase();
    let length = Math.min(start.length - 1, lower.length);
    while (length > 0 && !lower.endsWith(start.slice(0, length))) length--;
    return length;
  });
  return text.slice(0, text.length - Math.max(...begun));
}

/** At 500 characters, never in the middle of one. */
const truncate = (text: string) =>
  text
    .slice(0, SHOWN_MAX)
    .replace(/[\ud800-\udbff]$/, "")
    .toWellFormed();
