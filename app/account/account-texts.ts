import type { Metadata } from "next";
import { headers } from "next/headers";

import type { account } from "#server/universal/texts/en.ts";
import type { ui } from "#server/universal/texts/en-ui.ts";
import { fillText } from "#server/universal/texts/format-text.ts";
import { CATALOGS, isLanguage } from "#server/universal/texts/languages.ts";

/** The texts of a page in the language that the web server chose for the request. */
export async function accountTexts() {
  const language = (await headers()).get("x-language");
  const texts = CATALOGS[isLanguage(language) ? language : "en"];
  return { ...texts.ui, ...texts.account };
}

type Key = keyof typeof account | keyof typeof ui;

/** One of these texts, without values. */
export const accountText = async (key: Key): Promise<string> =>
  fillText((await accountTexts())[key], "en");

/** Returns the title of a page, for Next.js. */
export const titled = (key: Key) => async (): Promise<Metadata> => ({
  title: await accountText(key),
});
