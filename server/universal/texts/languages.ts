import { german } from "./de.ts";
import * as en from "./en.ts";
import { ui } from "./en-ui.ts";
import { type Catalog, fillText, type ValuesOf } from "./format-text.ts";

/** All languages, by their tags. */
export const CATALOGS = {
  en: { ui, account: en.account, mail: en.mail, sheet: en.sheet, errors: null },
  de: german,
} satisfies Record<string, Omit<Catalog, "errors"> & { errors: Catalog["errors"] | null }>;

export type Language = keyof typeof CATALOGS;

export const LANGUAGES = Object.keys(CATALOGS) as [Language, ...Language[]];

export const isLanguage = (tag: string | null | undefined): tag is Language =>
  tag != null && Object.hasOwn(CATALOGS, tag);

/** Set by `/account` for mailbox users who chose a language. */
export const LANGUAGE_COOKIE = "posthouse_language";

const CHOSEN = new RegExp(`(?:^|; )${LANGUAGE_COOKIE}=(\\w+)`);

/** The language of a request: the one chosen in this browser, or else the one that the browser prefers among `CATALOGS`. */
export function requestLanguage(headers: {
  cookie?: string | undefined;
  "accept-language"?: string | undefined;
}): Language {
  const chosen = CHOSEN.exec(headers.cookie ?? "")?.[1];
  if (isLanguage(chosen)) return chosen;
  const ranges = (headers["accept-language"] ?? "").split(",").map((range) => {
    const [tag = "", quality = "q=1"] = range.split(";").map((part) => part.trim().toLowerCase());
    return { language: tag.split("-")[0], quality: Number(quality.slice("q=".length)) };
  });
  const ours = ranges.flatMap(({ language, quality }) =>
    isLanguage(language) && quality > 0 ? [{ language, quality }] : [],
  );
  return ours.sort((a, b) => b.quality - a.quality)[0]?.language ?? "en";
}

type Mail = typeof en.mail;

/** Returns a function that looks up texts of emails in a language. */
export const mailTexts =
  (language: Language) =>
  <Key extends keyof Mail>(key: Key, ...[values]: ValuesOf<Mail[Key], string | number>): string =>
    fillText(CATALOGS[language].mail[key], language, values);

export type MailTexts = ReturnType<typeof mailTexts>;

/** Patterns of the server's messages, with their translations. */
const patterns = new Map<Language, [source: RegExp, translation: string][]>();

/** Translates a message of the server, without the field in front (`code: is incorrect`). Returns it unchanged if there is no translation. */
export function translateError(language: Language, message: string): string {
  const { errors } = CATALOGS[language];
  if (!errors) return message;
  const text = message.replace(/^[a-z][\w.[\]]*: /, "");
  if (!patterns.has(language)) patterns.set(language, Object.entries(errors).map(toPattern));
  for (const [source, translation] of patterns.get(language)!) {
    const found = source.exec(text);
    if (!found) continue;
    const translated = fillText(translation, language, { ...found.groups });
    return text.endsWith(".") && !translated.endsWith(".") ? `${translated}.` : translated;
  }
  return message;
}

const toPattern = ([source, translation]: [string, string]): [RegExp, string] => {
  const escaped = source.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return [new RegExp(`^${escaped.replace(/\{(\w+)\}/g, "(?<$1>.+)")}\\.?$`, "s"), translation];
};
