import { createContext, Fragment, type ReactNode, useContext, useInsertionEffect } from "react";

import type { account } from "#server/universal/texts/en.ts";
import { ui } from "#server/universal/texts/en-ui.ts";
import {
  fillText,
  type NamesIn,
  splitText,
  type Text,
  type Translated,
  type ValuesOf,
} from "#server/universal/texts/format-text.ts";

import { readerLocale } from "./reader-locale.ts";

type English = typeof ui & typeof account;

export type PageTexts = Translated<English>;

/** The only texts that the console loads. Components of `/account` that it shows get theirs from `TextsProvider`. */
const english = ui as Translated<typeof ui> as PageTexts;

const Texts = createContext<PageTexts>(english);

/** The texts of `pageText`. A page's language doesn't change until it is reloaded. */
let current: PageTexts = english;

/** Sets the language of all components inside. */
export function TextsProvider({ texts, children }: { texts: PageTexts; children: ReactNode }) {
  // Effects don't run on the server, which renders pages in several languages at a time.
  useInsertionEffect(() => void (current = texts), [texts]);
  return <Texts value={texts}>{children}</Texts>;
}

export type GetText = <Key extends keyof English>(
  key: Key,
  ...values: ValuesOf<English[Key], string | number>
) => string;

export const textsOf =
  (texts: PageTexts): GetText =>
  (key, ...[values]) =>
    fillText(texts[key], readerLocale.toString(), values);

/** Returns a function that looks up texts in the page's language. */
export const useTexts = (): GetText => textsOf(useContext(Texts));

/** A text in the language of the page, outside of rendering: in event handlers, and in components that only the browser renders. */
export const pageText: GetText = (key, ...values) => textsOf(current)(key, ...values);

type Wrap = (inside: ReactNode) => ReactNode;

/**
 * A text with elements in it.
 *
 * @param values an element for each placeholder, and for each tag a function that wraps the text inside it
 */
export function RichText<Key extends keyof English>({
  id,
  values,
}: {
  id: Key;
  values: Record<NamesIn<English[Key]>, ReactNode | Wrap>;
}) {
  return withElements(useContext(Texts)[id], readerLocale.toString(), values);
}

/** Like `RichText`, for a text in a language other than the page's. */
export const withElements = (
  text: Text,
  locale: string,
  values: Record<string, ReactNode | Wrap>,
): ReactNode =>
  splitText<ReactNode | Wrap>(text, locale, values, (wrap, inside) =>
    (wrap as Wrap)(inside as ReactNode),
  ).map((part, at) => <Fragment key={at}>{part as ReactNode}</Fragment>);
